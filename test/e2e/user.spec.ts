import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import type { Result } from "./support/stack";

/** Whom the task runs as, and who may read the certificate that its broker uses. */
const script = `
certificate=$(flux config get bootstrap.curve_cert)
echo "$(id -u) $(id -g) $(stat -L -c '%u %a' "$(eval echo "$certificate")")"
`;

describe("in a namespace with the pod security standard restricted, a user", () => {
    const namespace = useNamespace({ podSecurity: "restricted" });
    let up: Result;

    before(async () => {
        const stack = namespace.stack("user", async () => ({
            1000: output("thousand", 1000),
            4242: output("nobody", 4242),
        }));
        up = await stack.up();
    });

    function output(name: string, runAsUser: number) {
        return new MiniCluster(name, {
            image: namespace.image,
            size: 2,
            podSecurityContext: { runAsUser, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            command: ["bash", "-c", script],
        }).output;
    }

    for (const user of [1000, 4242]) {
        it(`${user}, whom the image ${user === 4242 ? "doesn't know" : "may know"}, runs a command with a certificate of its own`, () => {
            const lines = up.outputs[user].trim().split("\n");
            assert.deepEqual(
                lines.map((line: string) => line.split(" ")[0]),
                [`${user}`, `${user}`],
            );
            for (const line of lines) {
                assert.match(line, new RegExp(`^${user} \\d+ ${user} 400$`));
            }
        });
    }
});

import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import type { Result } from "./support/stack";

/** Prints uid and gid of the task, and owner and mode of the certificate that its broker uses. */
const script = `
certificate=$(flux config get bootstrap.curve_cert)
echo "$(id -u) $(id -g) $(stat -L -c '%u %a' "$(eval echo "$certificate")")"
`;

/** The namespace enforces the pod security standard restricted. */
describe("MiniCluster in a restricted namespace", () => {
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
        it(`runs as uid ${user} with its own certificate${user === 4242 ? " if the image lacks that uid" : ""}`, () => {
            // The lead's broker says if another rank joins late.
            const lines = up.outputs[user]
                .trim()
                .split("\n")
                .filter((line: string) => !line.startsWith("<"));
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

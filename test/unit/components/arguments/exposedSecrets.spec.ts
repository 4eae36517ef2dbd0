import * as pulumi from "@pulumi/pulumi";
import assert from "node:assert/strict";

import type { MiniClusterArgs } from "../../../../components/args";
import { exposedSecrets } from "../../../../components/arguments/exposedSecrets";
import { FluxJob } from "../../../../components/fluxJob/fluxJob";
import { MiniCluster } from "../../../../components/miniCluster";
import { answers } from "../../support/cluster";
import { mockPulumi, settled } from "../../support/pulumi";

const hush = () => pulumi.secret("hunter2");

describe("a Pulumi secret in an argument", () => {
    beforeEach(() => mockPulumi(answers));

    const cases: [string, object, string][] = [
        [
            "hooks",
            { hooks: { pre: pulumi.interpolate`export TOKEN=${hush()}` } },
            "Give it as a variable in environment, which the hooks can read.",
        ],
        ["broker", { broker: { config: hush() } }, "Put it into a Secret of your own, and mount that with volumes."],
        [
            "podTemplate",
            { podTemplate: { spec: { x: [hush()] } } },
            "Put it into a Secret of your own, and refer to that Secret.",
        ],
        [
            "command",
            { command: ["curl", "-H", hush()] },
            "Give it as a variable in environment, which the command can read.",
        ],
        [
            "restful",
            { restful: hush().apply((indexUrl) => ({ indexUrl })) },
            "Give the URL of a package index with a password as PIP_INDEX_URL in environment.",
        ],
        // The name of the Secret that the lead fills has its hash.
        ["rotate", { rotate: hush() }, "Give a text that is not secret, such as a date."],
        [
            "annotations",
            { annotations: Promise.resolve({ a: hush() }) },
            "Put it into a Secret of your own, and mount that with volumes.",
        ],
    ];
    for (const [property, args, cure] of cases) {
        it(`is refused in ${property}, which Kubernetes shows, with the cure`, async () => {
            const reason = `has a secret, which would be readable in Kubernetes. ${cure} If it is not a secret, wrap it in pulumi.unsecret.`;
            assert.deepEqual(await exposedSecrets(args), [{ property, reason }]);
        });
    }

    it("is accepted where it stays a secret, or after pulumi.unsecret", async () => {
        const args = {
            certificate: hush(),
            environment: { A: hush() },
            kubeconfig: hush(),
            triggers: [hush()],
            hooks: { pre: pulumi.unsecret(hush()) },
        };
        assert.deepEqual(await exposedSecrets(args), []);
    });

    it("appears in no error, and registers no object of the cluster or the job", async () => {
        const registered = await mockPulumi(answers);
        const given = { image: "flux", hooks: { pre: hush() }, broker: hush(), size: pulumi.secret(-4321) };
        const cluster = new MiniCluster("lammps", given as unknown as MiniClusterArgs);
        const job = new FluxJob("solve", { cluster: { name: "a", namespace: "b" }, command: [hush()] });
        const messages = await Promise.all([cluster.name, job.jobId].map((output) => failureOf(output)));
        assert.match(messages[0], /hooks: has a secret.*\n +broker: has a secret.*\n +size: has a secret/);
        assert.match(messages[1], /command: has a secret/);
        assert.doesNotMatch(messages.join(), /hunter2|4321/);
        await settled().catch(() => undefined);
        assert.deepEqual(registered.map(({ name }) => name).sort(), ["lammps", "solve", "solve-ticket"]);
    });

    it("doesn't appear in an error about a value of the wrong type", async () => {
        const cluster = new MiniCluster("lammps", {
            image: "flux",
            environment: { A: pulumi.secret(4321) },
        } as unknown as MiniClusterArgs);
        assert.match(await failureOf(cluster.name), /environment\.A: has the wrong type; it must be a string\.$/);
        await settled().catch(() => undefined);
        const kubeconfig = [{ user: { token: "hunter2" } }];
        assert.throws(
            () => new MiniCluster("other", { image: "flux", kubeconfig }),
            /kubeconfig: has the wrong type; it must be a string or an object\.$/,
        );
    });
});

function failureOf(output: pulumi.Output<unknown>): Promise<string> {
    return (output as any).promise().then(
        () => assert.fail("no problem"),
        ({ message }: Error) => message,
    );
}

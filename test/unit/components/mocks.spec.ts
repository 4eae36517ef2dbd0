import assert from "node:assert/strict";

import * as pulumi from "@pulumi/pulumi";

import { FluxJob, Keygen, MiniCluster, type MiniClusterArgs } from "../../..";

/** What Pulumi's guide to unit tests proposes: a resource becomes what was asked for. */
const MOCKS: pulumi.runtime.Mocks = {
    newResource: ({ inputs, name }) => ({ id: `${name}-id`, state: inputs }),
    call: ({ inputs }) => inputs,
};

describe("under the mocks of a user's unit test", () => {
    const cases: [string, Partial<MiniClusterArgs>, string][] = [
        ["a cluster with a command", { command: ["hostname"] }, "tcp://flow-lead.default.svc.cluster.local:8050"],
        ["a cluster that stays", {}, "http://flow-lead.default.svc.cluster.local:5000"],
        ["a cluster whose key a pod makes", { keygen: Keygen.Pod }, "http://flow-lead.default.svc.cluster.local:5000"],
        [
            "a cluster with a MUNGE key",
            { munge: true, namespace: "hpc" },
            "http://flow-lead.hpc.svc.cluster.local:5000",
        ],
    ];
    for (const [what, args, endpoint] of cases) {
        it(`${what} has its outputs`, async () => {
            await pulumi.runtime.setMocks(MOCKS);
            const cluster = new MiniCluster("flow", { image: "registry.example/flux:1", size: 2, ...args });
            const job = new FluxJob("step", { cluster, command: ["hostname"] });
            assert.equal(await value(cluster.endpoint), endpoint);
            assert.equal((await value(cluster.hosts)).length, 2);
            assert.equal(await value(job.exitCode), undefined);
        });
    }
});

function value<T>(output: pulumi.Output<T>): Promise<T> {
    return new Promise((resolve) => output.apply(resolve));
}

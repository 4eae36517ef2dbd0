import assert from "node:assert/strict";

import * as pulumi from "@pulumi/pulumi";

import { FluxJob, Keygen, MiniCluster, type MiniClusterArgs } from "../../../components";

/** The mocks of Pulumi's guide to unit tests: the state of a resource is its inputs. */
const MOCKS: pulumi.runtime.Mocks = {
    newResource: ({ inputs, name }) => ({ id: `${name}-id`, state: inputs }),
    call: ({ inputs }) => inputs,
};

describe("a user's unit test with Pulumi's mocks", () => {
    const cases: [string, Partial<MiniClusterArgs>, string][] = [
        ["an ephemeral cluster", { command: ["hostname"] }, "tcp://flow-lead.default.svc.cluster.local:8050"],
        ["a persistent cluster", {}, "http://flow-lead.default.svc.cluster.local:5000"],
        ["a cluster whose key a pod makes", { keygen: Keygen.Pod }, "http://flow-lead.default.svc.cluster.local:5000"],
        [
            "a cluster with a MUNGE key",
            { munge: true, namespace: "hpc" },
            "http://flow-lead.hpc.svc.cluster.local:5000",
        ],
    ];
    for (const [what, args, endpoint] of cases) {
        it(`reads the outputs of ${what}`, async () => {
            await pulumi.runtime.setMocks(MOCKS);
            const cluster = new MiniCluster("flow", { image: "registry.example/flux:1", size: 2, ...args });
            assert.equal(await value(cluster.endpoint), endpoint);
            assert.equal((await value(cluster.hosts)).length, 2);
            // A cluster with a command takes no jobs that come after it.
            if (args.command === undefined) {
                const job = new FluxJob("step", { cluster, command: ["hostname"] });
                assert.equal(await value(job.exitCode), undefined);
            }
        });
    }
});

function value<T>(output: pulumi.Output<T>): Promise<T> {
    return new Promise((resolve) => output.apply(resolve));
}

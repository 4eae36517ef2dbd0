import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import { operations, type Result, type TestStack } from "./support/stack";

describe("ephemeral MiniCluster", () => {
    const namespace = useNamespace();
    const hosts = ["hello-0", "hello-1", "hello-2", "hello-3"];
    let stack: TestStack;
    let up: Result;

    before(async () => {
        stack = namespace.stack("hello", async () => ({
            cluster: new MiniCluster("hello", { image: namespace.image, size: 4, command: ["hostname"] }),
        }));
        up = await stack.up();
    });

    it("returns the output of its four ranks", () => {
        const { exitCode, output, phase } = up.outputs.cluster;
        assert.equal(phase, "succeeded");
        assert.equal(exitCode, 0);
        assert.deepEqual(output.trim().split("\n").sort(), hosts);
    });

    it("returns its addresses and the commands to reach it", () => {
        const {
            attachCommand,
            endpoint,
            forwardCommand,
            hosts: names,
            logsCommand,
            name,
            namespace: place,
        } = up.outputs.cluster;
        assert.equal(name, "hello");
        assert.equal(place, namespace.name);
        assert.equal(endpoint, `tcp://hello-lead.${namespace.name}.svc.cluster.local:8050`);
        assert.deepEqual(
            names,
            hosts.map((host) => `${host}.hello.${namespace.name}.svc.cluster.local`),
        );
        assert.match(
            attachCommand,
            new RegExp(`^kubectl exec -it -n ${namespace.name} service/hello-lead -c flux -- sh -c '.*; exec bash'$`),
        );
        assert.equal(forwardCommand, `kubectl port-forward -n ${namespace.name} service/hello-lead 8050:8050`);
        assert.equal(logsCommand, `kubectl logs -n ${namespace.name} service/hello-lead -c flux`);
    });

    it("returns the node of each rank and the times of the run", () => {
        const { nodes, slowestRank, timings } = up.outputs.cluster;
        assert.deepEqual(Object.keys(nodes), ["0", "1", "2", "3"]);
        assert.match(slowestRank, /^hello-\d\b.*: \d+ s, most of it /);
        const { command, ended, quorum, scheduled, started } = timings;
        const inOrder = [scheduled, started, quorum, command, ended];
        assert.deepEqual(
            inOrder,
            [...inOrder].sort((a, b) => a - b),
        );
        assert(scheduled >= 0 && ended <= up.seconds + 1, `the times are not of this run: ${JSON.stringify(timings)}`);
    });

    it("reports what it waits for while it starts", () => {
        assert.match(up.text, /hello: \d\/4 pods running; hello-\d-\w+ ContainerCreating/);
        assert.match(up.text, /hello: \d\/4 ranks joined/);
    });

    for (const verb of ["preview", "refresh", "up"] as const) {
        it(`shows no changes in another ${verb}`, async () => {
            const { events } = await stack[verb](true);
            const expected = verb === "refresh" ? ["refresh"] : ["same"];
            assert.deepEqual([...new Set(Object.values(operations(events)))], expected);
        });
    }

    it("leaves nothing when it is destroyed", async () => {
        await stack.destroy();
        await namespace.assertNothingLeft();
        assert.deepEqual(stack.resources(), []);
    });
});

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

import { MiniCluster } from "flux-minicluster";

import { ChangingCluster } from "../e2e/support/changing";
import { checkpointPath } from "../e2e/support/emptyStack";
import { FaultProxy, to, useFaultProxy } from "../e2e/support/faultProxy";
import { type Interruption, INTERRUPTIONS, interruptAt, outcome, recover } from "../e2e/support/interruptions";
import { type TestNamespace, useNamespace } from "../e2e/support/namespace";
import { alternate, casesOf, meetAll, type Operation, record, type Result, type Subject } from "./support/matrix";
import { keep } from "./support/matrixPage";
import type { Step } from "./support/steps";
import { ClusterSubject, FluxJobSubject } from "./support/subjects";

type Make = (name: string, proxy: FaultProxy) => Subject;

/** Each function prepares a namespace. Returns a function that makes a subject in it. */
const SUBJECTS: Readonly<Record<string, (namespace: TestNamespace) => Promise<Make>>> = {
    MiniCluster: async (namespace) => (name, proxy) => new ClusterSubject(namespace, name, proxy),
    FluxJob: async (namespace) => {
        const stack = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", { image: namespace.image, restful: { enabled: false } }),
        }));
        const { cluster } = (await stack.up()).outputs;
        return (name, proxy) => new FluxJobSubject(namespace, name, proxy, cluster);
    },
};

for (const [kind, prepare] of Object.entries(SUBJECTS)) {
    describe(`interrupted ${kind}`, function () {
        this.timeout(0);
        const namespace = useNamespace();
        let subject: Subject;
        let created: readonly Step[];

        before(async () => {
            const make = await prepare(namespace);
            subject = make("interrupted", await FaultProxy.start(namespace.kubeconfig));
            created = await record(subject, "create");
        });
        after(() => subject.proxy.close());

        for (const operation of ["update", "replacement", "targeted replacement"] as const) {
            it(`recovers after an interruption at each request of the ${operation}`, async () => {
                judge(operation, await meetAll(subject, casesOf(operation, await record(subject, operation))));
            });
        }

        it("recovers after an interruption at each request of the create and the destroy", async () => {
            const destroys = casesOf("destroy", await record(subject, "destroy"));
            const results = await meetAll(subject, alternate(destroys, casesOf("create", created)));
            const of = (operation: Operation) => results.filter((result) => result.operation === operation);
            keep(kind, "destroy", of("destroy"));
            judge("create", of("create"));
            judge("destroy", of("destroy"));
        });

        function judge(operation: Operation, results: readonly Result[]): void {
            keep(kind, operation, results);
            assert(results.length > 0, `the ${operation} makes no request`);
            assert.deepEqual(
                results.flatMap(({ failure }) => failure ?? []),
                [],
            );
        }
    });
}

describe("update after an interrupted create", () => {
    const namespace = useNamespace();
    const proxy = useFaultProxy(namespace);

    for (const [index, interruption] of (Object.keys(INTERRUPTIONS) as Interruption[]).entries()) {
        it(`replaces the Job if the arguments have changed (${interruption})`, async () => {
            const cluster = new ChangingCluster(namespace, `c${index}`, { size: 1, maxSize: 2 });
            await interruptAt(cluster.stack, "up", proxy().hold(to("POST", "jobs"), "answer"), interruption);
            const uid = await cluster.uid();
            cluster.set({ environment: { CHANGED: "yes" } });
            const { succeeded, text } = await recover(cluster.stack, "up");
            assert(succeeded, text);
            await cluster.assertSettled();
            assert.notEqual(await cluster.uid(), uid);
        });
    }
});

describe("files of a killed CLI", () => {
    const namespace = useNamespace();
    const proxy = useFaultProxy(namespace);

    it("include a lock, which the next update reports, and pulumi cancel removes", async () => {
        const cluster = new ChangingCluster(namespace, "locked", {});
        await interruptAt(cluster.stack, "up", proxy().hold(to("WATCH", "pods")), "kill -9 of the CLI");
        const uid = await cluster.uid();
        assert.match((await outcome(cluster.stack, "up")).text, /currently locked/);
        const { succeeded, text } = await recover(cluster.stack, "up");
        assert(succeeded, text);
        assert.equal(await cluster.uid(), uid);
        await cluster.assertSettled();
    });

    it("may include empty attributes of the state, after whose deletion all commands work", async () => {
        const stack = namespace.stack("attributes", async () => ({ answer: 42 }));
        await stack.up();
        const attributes = `${checkpointPath(stack.backend, "attributes")}.attrs`;
        writeFileSync(attributes, "");
        assert.match((await stack.fails("up")).text, /failed to load checkpoint: EOF/);
        const { succeeded, text } = await recover(stack, "up");
        assert(succeeded, text);
        assert.match(readFileSync(attributes, "utf8"), /content_type/);
    });
});

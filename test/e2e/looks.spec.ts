import { ended } from "./looks/ended";
import { gpus } from "./looks/gpus";
import { hooks } from "./looks/hooks";
import { ipc } from "./looks/ipc";
import { mpiJob } from "./looks/mpiJob";
import { munge } from "./looks/munge";
import { rendezvous } from "./looks/rendezvous";
import { shape } from "./looks/shape";
import { sidecars } from "./looks/sidecars";
import { tasks } from "./looks/tasks";
import { view } from "./looks/view";
import { words } from "./looks/words";
import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";

const LOOKS = [ended, gpus, hooks, ipc, mpiJob, munge, rendezvous, shape, sidecars, tasks, view, words];

/** All clusters share one update, because the start of the engine is most of a test's cost. */
describe("MiniCluster", () => {
    const namespace = useNamespace();
    const outputs: Record<string, string> = {};
    const cleanups: (() => void)[] = [];
    let others: string[];
    let stack: TestStack;

    before(async () => {
        for (const look of LOOKS) {
            cleanups.push((await look.prepare?.(namespace)) ?? (() => undefined));
        }
        others = await namespace.objects();
        stack = namespace.stack("looks", async () =>
            Object.assign({}, ...LOOKS.map((look) => look.clusters(namespace))),
        );
        Object.assign(outputs, (await stack.up()).outputs);
    });

    after(() => cleanups.forEach((cleanup) => cleanup()));

    for (const { subject, tests } of LOOKS) {
        describe(subject, () => tests(outputs, namespace));
    }

    // In a suite of its own, because mocha runs the tests of a suite before its nested suites.
    describe("in one stack with all these clusters", () => {
        it("leaves nothing when the stack is destroyed", async () => {
            await stack.destroy();
            await namespace.assertNothingLeft((object) => !others.includes(object));
        });
    });
});

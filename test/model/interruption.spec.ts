import assert from "node:assert/strict";

import { converge, vanish } from "./conclusion";
import { Coverage, describeFault, type Fault, type FaultKind, VERBS } from "./support/fault";
import type { Wish } from "./support/wish";
import { type Done, Stack } from "./support/stack";
import { World } from "./support/world";

const CLUSTER: Wish = {
    name: "one",
    image: "image:1",
    size: 2,
    interrupt: "allow",
    suspend: false,
    elastic: false,
    fluxJob: "true",
};

/** The clusters of the interrupted operations. */
const SUBJECTS: Readonly<Record<string, Wish>> = {
    "a persistent cluster with a FluxJob": CLUSTER,
    "an ephemeral cluster": { ...CLUSTER, command: "run", fluxJob: undefined },
};

interface Operation {
    /** The operation starts without a cluster. */
    readonly first?: true;
    readonly change?: Partial<Wish>;
    run(stack: Stack, faults: readonly Fault[]): Promise<Done>;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
    create: { first: true, run: (stack, faults) => stack.up({}, faults) },
    update: { change: { size: 4, annotation: "x" }, run: (stack, faults) => stack.up({}, faults) },
    replacement: { change: { image: "image:2" }, run: (stack, faults) => stack.up({}, faults) },
    "targeted replacement": { run: (stack, faults) => stack.up({ replace: ["one-job"], target: ["one-job"] }, faults) },
    destroy: { run: (stack, faults) => stack.destroy(faults) },
};

const INTERRUPTIONS: readonly FaultKind[] = [
    "SIGINT",
    "SIGINT twice",
    "kill CLI",
    "kill CLI after",
    "kill host",
    "kill host after",
];

/** Each test interrupts an operation at each of its requests, in each way. */
describe("interrupted operation", function () {
    this.timeout(0);

    for (const [subject, wish] of Object.entries(SUBJECTS)) {
        for (const [name, operation] of Object.entries(OPERATIONS)) {
            it(`recovers in two tries: ${name} of ${subject}`, async () => {
                const faults = await allFaults(wish, operation);
                assert.ok(faults.length > 0);
                for (const fault of faults) {
                    await interrupt(wish, operation, fault).catch((error: Error) =>
                        assert.fail(`${describeFault(fault)}: ${error.message}`),
                    );
                }
                console.log(`        ${faults.length} interruptions`);
            });
        }
    }
});

async function prepare(wish: Wish, { change, first }: Operation): Promise<Stack> {
    const stack = new Stack(new World(new Coverage()), wish);
    if (first !== true) {
        const { error } = await stack.up();
        assert.equal(error, undefined);
        await stack.world.clock.pass(60_000);
    }
    stack.wish = { ...wish, ...change };
    stack.world.requests.clear();
    return stack;
}

/** All interruptions at all requests that the operation makes without an interruption. */
async function allFaults(wish: Wish, operation: Operation): Promise<Fault[]> {
    const stack = await prepare(wish, operation);
    await operation.run(stack, []);
    return VERBS.flatMap((verb) =>
        Array.from({ length: stack.world.requests.get(verb) ?? 0 }, (_, request) =>
            INTERRUPTIONS.map((kind) => ({ verb, request, kind })),
        ).flat(),
    );
}

async function interrupt(wish: Wish, operation: Operation, fault: Fault): Promise<void> {
    const stack = await prepare(wish, operation);
    await operation.run(stack, [fault]);
    await stack.world.heal();
    if (operation !== OPERATIONS["destroy"]) {
        await converge(stack, stack.world);
    }
    await vanish(stack, stack.world);
}

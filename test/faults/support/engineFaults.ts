import { type FaultProxy, type Hold, type Point, type Selector, to } from "../../e2e/support/faultProxy";
import type { Interruption } from "../../e2e/support/interruptions";
import type { Fault, FaultKind, Verb } from "../../model/support/fault";
import type { EngineStack } from "./engineStack";
import type { Deed, EngineWorld } from "./engineWorld";

/** The parts of the model that have no counterpart here, with the reason. All others are translated. */
export const LEFT_OUT = {
    "other cluster": "it needs a second Kubernetes, as in test/faults/otherClusters.spec.ts and secondCluster.spec.ts",
    "a webhook": "test/e2e/dayTwo/admission.spec.ts tests it",
    "the same name in two stacks": "test/e2e/dayTwo/adoption.spec.ts tests it",
    "seconds in which pods end": "Kubernetes decides them",
    "a job that a user submits": "test/faults/blastRadius.spec.ts tests it",
    "outcomes of Flux jobs": "the job's command decides them",
    "credentials that expire": "test/faults/access.spec.ts tests it",
    "a TTL that passes": "it takes a minute of real time",
    "a second interruption of one operation": "the first one leaves nothing to interrupt",
} as const;

export type LeftOut = keyof typeof LEFT_OUT;

/** The request of a verb at which its faults happen: the first one, or with `later` another one of the same call. */
const REQUESTS: Readonly<Record<Verb, (name: string, later: boolean) => Selector>> = {
    "IndexedJob.check": (name) => to("GET", `jobs/${name}`),
    "IndexedJob.create": () => to("POST", "jobs"),
    "IndexedJob.read": (name) => to("GET", `jobs/${name}`),
    "IndexedJob.update": (name) => to("PATCH", `jobs/${name}`),
    "IndexedJob.delete": (name, later) => (later ? to("WATCH", "jobs") : to("DELETE", `jobs/${name}`)),
    "JobStatus.create": (_name, later) => to(later ? "WATCH" : "GET", "pods"),
    "JobStatus.update": (_name, later) => to(later ? "WATCH" : "GET", "pods"),
    "JobStatus.read": () => to("GET", "pods"),
    "FluxSubmission.create": (name) => to("EXEC", `pods/${name}-0-*/exec`),
    "FluxSubmission.read": (name) => to("EXEC", `pods/${name}-0-*/exec`),
    "FluxSubmission.update": (name) => to("EXEC", `pods/${name}-0-*/exec`),
    "FluxSubmission.delete": (name) => to("EXEC", `pods/${name}-0-*/exec`),
};

const ANSWERS: Partial<Record<FaultKind, number>> = {
    "429": 429,
    "500": 500,
    conflict: 409,
    "500 after": 500,
    "watch expired": 410,
};

/** How many connections a fault cuts. A timeout is a cut too: a real one would take too long, with the same effect. */
const CUTS: Partial<Record<FaultKind, number>> = {
    reset: 1,
    timeout: 1,
    "reset after": 1,
    "timeout after": 1,
    "watch cut": 1,
    away: 4,
};

const INTERRUPTS: Partial<Record<FaultKind, Interruption>> = {
    SIGINT: "SIGINT once",
    "SIGINT twice": "SIGINT twice",
    "kill CLI": "kill -9 of the CLI",
    "kill CLI after": "kill -9 of the CLI",
    "kill host": "kill -9 of the plugin host",
    "kill host after": "kill -9 of the plugin host",
};

/** A held request, and the interruption at it. */
export interface Interrupted {
    readonly hold: Hold;
    readonly by: Interruption;
}

/** Sets up the proxy for the faults of an operation. Returns the interruption, if there is one. */
export function strike(
    world: EngineWorld,
    stack: EngineStack,
    faults: readonly Fault[],
    leave: (what: LeftOut) => void,
): Interrupted | undefined {
    const { proxy } = world;
    let interrupted: Interrupted | undefined;
    for (const fault of faults) {
        const selects = REQUESTS[fault.verb](stack.name, fault.request > 0 || fault.kind.startsWith("watch"));
        const by = INTERRUPTS[fault.kind];
        if (by === undefined) {
            disturb(proxy, fault.kind, selects, { world, stack, leave });
        } else if (interrupted === undefined) {
            interrupted = { by, hold: proxy.hold(selects, pointOf(fault.kind)) };
        } else {
            leave("a second interruption of one operation");
        }
    }
    return interrupted;
}

interface Scene {
    readonly world: EngineWorld;
    readonly stack: EngineStack;
    leave(what: LeftOut): void;
}

function disturb(proxy: FaultProxy, kind: FaultKind, selects: Selector, { leave, stack, world }: Scene): void {
    const [code, cuts, point] = [ANSWERS[kind], CUTS[kind], pointOf(kind)];
    if (code !== undefined) {
        proxy.answer(selects, code, 1, point);
    } else if (cuts !== undefined) {
        proxy.cut(selects, point, cuts);
    } else if (kind === "other cluster") {
        leave(kind);
    } else {
        const hold = proxy.hold(selects);
        void hold.seen
            .then(() => world.act(kind as Deed, stack))
            .catch(() => undefined)
            .finally(() => hold.release());
    }
}

function pointOf(kind: FaultKind): Point {
    return kind.endsWith(" after") || kind === "watch cut" ? "answer" : "request";
}

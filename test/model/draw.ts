import fc from "fast-check";

import {
    Act,
    Decide,
    Destroy,
    Edit,
    Expire,
    allowed,
    type Model,
    type Part,
    Pass,
    Preview,
    Refresh,
    SwitchingContext,
    Taint,
    Up,
    WrongContext,
} from "./commands";
import { canMeet, type Fault, type FaultKind, FAULTS, type Verb, VERBS } from "./support/fault";
import type { Feed, Wish } from "./support/wish";
import type { Decisions, World } from "./support/world";

const fault: fc.Arbitrary<Fault> = fc.record({
    verb: fc.constantFrom(...VERBS),
    request: fc.constantFrom(0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 7),
    kind: fc.constantFrom(...FAULTS),
});

/** Faults of the verbs that an operation can call. */
function faultsOf(verbs: RegExp): fc.Arbitrary<readonly Fault[]> {
    const matching = fault.filter(({ verb }) => verbs.test(verb));
    return fc.oneof(
        { weight: 1, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.array(matching, { minLength: 1, maxLength: 5 }) },
    );
}

const at = fc.constantFrom(0, 0, 0, 1);
const part = fc.constantFrom<Part>("job", "job", "lead", "run-submission", "status", "key");
/** Seconds before an update. A command needs some to start. */
const pause = fc.constantFrom(0, 5, 5);
/** Seconds of a TTL that ends after a history: a Job that is missing was deleted. */
const DAY = 86_400;
const upFaults = faultsOf(/check|create|update|delete/);

const FEEDS: readonly Feed[] = ["environment", "job command", "job environment", "namespace", "pull secret", "volume"];

const change: fc.Arbitrary<Partial<Wish>> = fc.oneof(
    fc.record({ image: fc.constantFrom("image:1", "image:2") }),
    fc.record({ size: fc.constantFrom(1, 2, 4) }),
    fc.record({ annotation: fc.constantFrom(undefined, "x", "y") }),
    fc.record({ interrupt: fc.constantFrom("allow" as const, "refuse" as const) }),
    fc.record({ ttl: fc.constantFrom(undefined, 60, DAY) }),
    fc.record({ deadline: fc.constantFrom(undefined, 300) }),
    fc.record({ suspend: fc.boolean() }),
    fc.record({ waitFor: fc.constantFrom(undefined, "ready" as const, "none" as const) }),
    fc.record({ elastic: fc.boolean() }),
    fc.record({ connectTimeout: fc.constantFrom(undefined, 3) }),
    fc.record({ trigger: fc.constantFrom(undefined, "1", "2") }),
    fc.record({ fluxJob: fc.constantFrom(undefined, "true", "date") }),
    fc.record({ rotate: fc.constantFrom(undefined, "1") }),
    fc.record({ feed: fc.constantFrom(undefined, ...FEEDS) }),
    fc.record({ kubeName: fc.constantFrom(undefined, "moved") }),
    fc.record({ renamed: fc.constantFrom(true, true, false) }),
    fc.record({ protect: fc.boolean() }),
    fc.record({ absent: fc.boolean() }),
    fc.record({ twin: fc.boolean() }),
    fc.record({ astray: fc.boolean() }),
    fc.record({ jobInterrupt: fc.constantFrom(undefined, "allow" as const) }),
    fc.record({ jobWait: fc.boolean() }),
    fc.record({ jobRerunFailed: fc.boolean() }),
    fc.record({ rerunFailed: fc.boolean() }),
);

const decisions: fc.Arbitrary<Decisions> = fc.oneof(
    fc.record({ commandSeconds: fc.constantFrom(30, 600) }),
    fc.record({ succeeds: fc.boolean() }),
    fc.record({ removal: fc.constantFrom(2, 60) }),
    fc.record({ jobSucceeds: fc.boolean() }),
    fc.record({ elsewhere: fc.boolean(), namesakes: fc.boolean() }),
    fc.record({ webhook: fc.boolean() }),
    fc.record({ ambient: fc.boolean() }),
    fc.record({ forbidden: fc.constantFrom(undefined, "version", "events", "namespaces", "services", "jobs", "pods") }),
    fc.record({ jobSeconds: fc.constantFrom(5, 600) }),
);

const ACTS = [
    "job deleted",
    "job edited",
    "job resized",
    "command ends",
    "command fails",
    "pod evicted",
    "service deleted",
] as const;

/** Draws a history of at most `most` steps. */
export function histories(most: number): fc.Arbitrary<Iterable<fc.AsyncCommand<Model, World, false>>> {
    const up = fc
        .tuple(
            at,
            fc.option(part, { freq: 3, nil: undefined }),
            fc.boolean(),
            upFaults,
            fc.record({ previews: fc.constantFrom(false, false, true), pause }),
        )
        .map((of) => new Up(...of));
    const plainUp = fc
        .tuple(at, pause)
        .map(([of, seconds]) => new Up(of, undefined, false, [], { previews: false, pause: seconds }));
    const refresh = fc.tuple(at, faultsOf(/read/)).map((of) => new Refresh(...of));
    const edit = fc.tuple(at, change).map((of) => new Edit(...of));
    const content = fc.constantFrom("a", "b", "c").map((of) => ({ content: of }));
    const feeding = fc.tuple(at, content).map((of) => new Edit(...of));
    const commands: fc.Arbitrary<fc.AsyncCommand<Model, World>>[] = [
        up,
        up,
        up,
        up,
        plainUp,
        plainUp,
        edit,
        edit,
        edit,
        feeding,
        refresh,
        refresh,
        at.map((of) => new Preview(of)),
        fc.tuple(at, faultsOf(/delete/)).map((of) => new Destroy(...of)),
        fc.tuple(at, part).map((of) => new Taint(...of)),
        fc.tuple(at, fc.constantFrom(true, true, false)).map((of) => new Expire(...of)),
        fc.tuple(at, fc.constantFrom(...ACTS)).map((of) => new Act(...of)),
        // A draw of its own: few histories have a cluster without a command whose lead has started.
        at.map((of) => new Act(of, "flux submit")),
        fc.constantFrom(5, 100, 700).map((of) => new Pass(of)),
        decisions.map((of) => new Decide(of)),
        fc
            .tuple(at, fc.constantFrom("destroy", "preview", "refresh", "up"), fc.boolean())
            .map((of) => new WrongContext(...of)),
    ];
    return fc.commands(commands, { maxCommands: most, size: "max" });
}

/** Draws a history in which the user takes another context in the middle of commands. */
export function switchingHistories(most: number): ReturnType<typeof histories> {
    const kinds = fc.constantFrom<"destroy" | "preview" | "refresh" | "up">(
        "up",
        "up",
        "preview",
        "refresh",
        "destroy",
    );
    const commands: fc.Arbitrary<fc.AsyncCommand<Model, World>>[] = [
        fc.tuple(at, kinds, fc.constantFrom(1, 2, 3, 5, 8, 13)).map((of) => new SwitchingContext(...of)),
        fc.tuple(at, change).map((of) => new Edit(...of)),
        at.map((of) => new Act(of, "flux submit")),
        fc.tuple(at, fc.constantFrom(...ACTS)).map((of) => new Act(...of)),
        fc.constantFrom(5, 100, 700).map((of) => new Pass(of)),
    ];
    return fc.commands(commands, { maxCommands: most, size: "max" });
}

/** Draws the first wishes of one or two stacks. */
export const beginnings: fc.Arbitrary<Wish[]> = fc
    .tuple(
        fc.constantFrom(undefined, "completed", "ready", "ready"),
        fc.constantFrom(undefined, 60, DAY),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(1, 1, 2),
        fc.constantFrom("two", "two", "two", "one"),
        fc.constantFrom(undefined, ...FEEDS, ...FEEDS),
        fc.constantFrom(false, false, false, false, false, true),
    )
    .map(([goal, ttl, elastic, fluxJob, count, second, feed, twin]) => {
        const command = goal !== undefined;
        const plain: Wish = {
            name: "one",
            image: "image:1",
            size: 2,
            interrupt: "refuse",
            suspend: false,
            command: command ? "run" : undefined,
            ttl,
            waitFor: goal === "ready" ? goal : undefined,
            elastic,
            fluxJob: fluxJob ? "true" : undefined,
            jobWait: fluxJob && ttl === undefined ? false : undefined,
            twin,
            plugin: elastic && ttl !== undefined,
        };
        const wish = allowed({ ...plain, feed });
        return count === 1 ? [wish] : [wish, { ...wish, name: second }];
    });

/** A pair of verb and fault that a history meets first. */
export interface Meeting {
    readonly verb: Verb;
    readonly kind: FaultKind;
    readonly request: number;
}

export const meetings: fc.Arbitrary<Meeting | undefined> = fc.option(
    fc
        .record({
            verb: fc.constantFrom(...VERBS),
            kind: fc.constantFrom(...FAULTS),
            request: fc.constantFrom(0, 0, 1, 2, 3, 4, 5),
        })
        .filter(({ kind, verb }) => canMeet(verb, kind)),
    { freq: 3, nil: undefined },
);

/** The steps to a call of the verb. The last step has the fault. */
export function stepsTo({ kind, request, verb }: Meeting): fc.AsyncCommand<Model, World>[] {
    const up = (...faults: Fault[]) => new Up(0, undefined, false, faults);
    const edit = (change: Partial<Wish>) => new Edit(0, change);
    const met: Fault = { verb, kind, request };
    const first: Fault = { ...met, request: 0 };
    const cluster = edit({ command: undefined, fluxJob: "true", waitFor: undefined, suspend: false });
    const steps: Record<Verb, () => fc.AsyncCommand<Model, World>[]> = {
        "IndexedJob.check": () => [up(met)],
        // The Job of the interrupted create no longer matches the arguments, so the create deletes it first.
        "IndexedJob.create": () => [
            up({ verb, kind: "kill host after", request: 5 }),
            edit({ image: "image:2" }),
            up(met),
        ],
        "IndexedJob.read": () => [up(), new Refresh(0, [first])],
        "IndexedJob.update": () => [up(), edit({ annotation: "z" }), up(first)],
        "IndexedJob.delete": () => [up(), new Destroy(0, [first])],
        "JobStatus.create": () => [up(met)],
        "JobStatus.read": () => [up(), new Refresh(0, [first])],
        "JobStatus.update": () => [up({ verb: "JobStatus.create", kind: "SIGINT", request: 0 }), up(met)],
        "FluxSubmission.create": () => [cluster, up(met)],
        "FluxSubmission.read": () => [cluster, up(), new Refresh(0, [first])],
        "FluxSubmission.update": () => [
            cluster,
            up({ verb: "FluxSubmission.create", kind: "SIGINT", request: 3 }),
            up(met),
        ],
        "FluxSubmission.delete": () => [cluster, up(), new Destroy(0, [first])],
    };
    return steps[verb]();
}

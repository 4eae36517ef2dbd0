import fc from "fast-check";
import assert from "node:assert/strict";
import { join } from "node:path";

import type { PlainArgs } from "../../../components/args";
import { decideCluster, resolveSpec } from "../../../components/arguments/decide";
import type { Fields, Shape } from "../../../components/arguments/fields";
import { FEATURES } from "../../../components/features";
import { FluxJob } from "../../../components/fluxJob/fluxJob";
import type { FluxJobArgs } from "../../../components/fluxJob/args";
import { ARGUMENTS, JOB_ARGUMENTS } from "../../../components/generated/shapes";
import { MiniCluster } from "../../../components/miniCluster";
import { goldenObjects } from "../../golden/specs";
import { answers } from "../support/cluster";
import { mockPulumi, settled } from "../support/pulumi";
import { rightArgs } from "../support/rightArgs";

/** The name of an argument and of the fields inside it, with its values if these are a few. An item of a list is `*`. */
interface Place {
    readonly path: readonly string[];
    readonly choice?: readonly string[];
}

/** All arguments down to their last fields. */
function placesOf(fields: Fields): Place[] {
    return Object.entries(fields).flatMap(([name, shape]) =>
        inside(shape).map(({ path, choice }) => ({ path: [name, ...path], choice })),
    );
}

function inside(shape: Shape): Place[] {
    if (typeof shape !== "object") {
        return [{ path: [] }];
    }
    if ("fields" in shape) {
        return placesOf(shape.fields);
    }
    if ("list" in shape) {
        const places = inside(shape.list);
        return places.some(({ path }) => path.length > 0)
            ? places.map(({ path, choice }) => ({ path: ["*", ...path], choice }))
            : [{ path: [] }];
    }
    return [{ path: [], choice: "choice" in shape ? shape.choice : undefined }];
}

/** The arguments with another value at a path. Undefined takes the value away. */
function changedAt(value: any, [first, ...rest]: readonly string[], change: (leaf: any) => unknown): any {
    if (first === undefined) {
        return change(value);
    }
    if (first === "*") {
        return Array.isArray(value) ? value.map((item) => changedAt(item, rest, change)) : value;
    }
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, first)) {
        return value;
    }
    const { [first]: inner, ...others } = value;
    const changed = changedAt(inner, rest, change);
    return changed === undefined ? others : { ...others, [first]: changed };
}

/** A value of the same form. */
function another(value: any): unknown {
    if (typeof value === "object" && value !== null) {
        return Array.isArray(value) ? value.map(another) : mapped(value as object);
    }
    if (typeof value === "string" && value.endsWith("/golden/code")) {
        // A folder that exists.
        return `${value}/bin`;
    }
    return typeof value === "boolean" ? !value : typeof value === "number" ? value + 1 : `${value}x`;
}

const mapped = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([name, item]) => [name, another(item)]));

/** The arguments with another value at a place, and without a value. Not all of them are valid. */
function variants(args: object, { choice, path }: Place): object[] {
    const text = JSON.stringify(args);
    const values = choice?.map((value) => () => value) ?? [another];
    return [...values, () => undefined]
        .map((change) => changedAt(args, path, change) as object)
        .filter((changed) => JSON.stringify(changed) !== text);
}

/** Arguments that go into resources of Pulumi by themselves, and not by the description of the cluster. */
const OF_CHILDREN = [
    "certificate",
    "context",
    "kubeconfig",
    "metrics.podMonitor.interval",
    "metrics.podMonitor.labels",
    "namespace",
    "output.secret",
    "output.stream",
    "restful.rotate",
    "rotate",
    "triggers",
];

const isOfChildren = ({ path }: Place) => OF_CHILDREN.includes(path.join("."));

describe("each argument", function () {
    this.timeout(300_000);
    // The first cluster in which an argument has an effect is enough.
    const clusters = fc.sample(rightArgs, { numRuns: 300, seed: 1 });
    const isRight = (args: PlainArgs) => decideCluster("some", args).problems.length === 0;

    it("of a MiniCluster changes an object or an input of a generated cluster", () => {
        let left = placesOf(ARGUMENTS).filter((place) => !isOfChildren(place));
        for (const args of clusters) {
            let whole: string | undefined;
            left = left.filter((place) =>
                (variants(args, place) as PlainArgs[])
                    .filter(isRight)
                    .every((changed) => described(changed) === (whole ??= described(args))),
            );
        }
        assert.deepEqual(left.map(inWords), []);
    });

    it("of a MiniCluster that its children read changes an input of theirs", async () => {
        const make = (args: object) => new MiniCluster("some", args as PlainArgs);
        // A limit of CPUs is a warning, which each registration prints.
        const quiet = clusters.filter(({ resources }) => resources === undefined);
        // Few generated clusters have a RESTful server with keys of its own and none of the rules against it.
        const served = { image: "a:1", restful: { rotate: "once" } };
        assert.deepEqual(await idle(placesOf(ARGUMENTS).filter(isOfChildren), [...quiet, served], make), []);
    });

    it("of a FluxJob changes an input of its resources", async () => {
        const make = (args: object) => new FluxJob("some", args as FluxJobArgs);
        assert.deepEqual(await idle(placesOf(JOB_ARGUMENTS), JOBS, make), []);
    });
});

const inWords = ({ path }: Place) => `${path.join(".")} has no effect: pass it on in decide, and use it`;

/** The objects and the resources' inputs that the features make. */
function described(args: PlainArgs): string {
    const spec = resolveSpec("some", args);
    const inputs = FEATURES.flatMap(({ jobInputs, statusInputs }) => [jobInputs, statusInputs]).map((of) =>
        Object.entries<any>(of ?? {}).map(([name, input]) => [name, input?.(spec)]),
    );
    return JSON.stringify([goldenObjects({ name: "some", args }), inputs]);
}

/** The places whose values change nothing that the program registers. */
async function idle(
    places: readonly Place[],
    all: readonly object[],
    make: (args: object) => unknown,
): Promise<string[]> {
    let left = places;
    for (const args of all) {
        const tried = left.map((place) => ({ place, changes: variants(args, place) }));
        const whole = tried.some(({ changes }) => changes.length > 0) ? await registered(() => make(args)) : undefined;
        for (const { place, changes } of tried) {
            if (await isAny(changes, async (changed) => isOther(await registered(() => make(changed)), whole))) {
                left = left.filter((one) => one !== place);
            }
        }
    }
    return left.map(inWords);
}

const isOther = (inputs: string | undefined, whole?: string) => inputs !== undefined && inputs !== whole;

async function isAny<T>(all: readonly T[], holds: (one: T) => Promise<boolean>): Promise<boolean> {
    for (const one of all) {
        if (await holds(one)) {
            return true;
        }
    }
    return false;
}

/** The inputs of the resources, without those of the component; undefined if the arguments are refused. */
async function registered(make: () => unknown): Promise<string | undefined> {
    const all = await mockPulumi(answers);
    try {
        make();
    } catch {
        return undefined;
    }
    await settled();
    const children = all.filter(({ type }) => !type.startsWith("flux-minicluster:"));
    return JSON.stringify(
        children.map(({ additionalSecretOutputs, inputs, name, secrets }) => [
            name,
            inputs,
            secrets,
            additionalSecretOutputs,
        ]),
    );
}

const TASKS = { coresPerTask: 1, gpusPerTask: 1, nodes: 2, tasks: 4 };
const FILES = { errorFile: "/e", inputFile: "/i", outputFile: "/o" };
const cluster = { name: "lammps", namespace: "hpc", uid: "job-uid" };

/** Jobs that together have all arguments. */
const JOBS: readonly FluxJobArgs[] = [
    {
        ...FILES,
        ...TASKS,
        after: [{ jobId: "f26Zqx", phase: "running" }],
        cluster,
        code: { source: join(__dirname, "../../golden/code"), exclude: ["a"], include: ["b"] },
        command: ["a"],
        context: "c",
        environment: { A: "a" },
        exclusive: true,
        fluxQueue: "q",
        interrupt: "allow",
        kubeconfig: "k",
        output: { maxBytes: 9, stream: true },
        rendezvous: { port: 9 },
        requires: "rank:0",
        rerunFailed: false,
        shellOptions: { pmi: "none" },
        signal: { name: "TERM", timeLeft: 9 },
        timeLimit: 99,
        timeouts: { completed: 9, ready: 9 },
        triggers: [1],
        urgency: 9,
        wait: true,
        workingDir: "/w",
    },
    { array: { values: ["a"] }, cluster, command: ["a"], tasksPerNode: 2, nodes: 1, output: { secret: true } },
    { array: { count: 2 }, cluster, command: ["a"] },
    {
        cluster,
        command: ["a"],
        results: { paths: ["a"], volume: "data", path: "b", ranks: "all", onFailure: true, limit: "1Mi" },
    },
];

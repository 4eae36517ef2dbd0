import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import assert from "node:assert/strict";

import type { PlainArgs } from "../../../components/args";
import { decideCluster } from "../../../components/arguments/decide";
import { ARGUMENTS_IMMEDIATE } from "../../../components/generated/shapes";
import { MiniCluster } from "../../../components/miniCluster";
import { answers } from "../support/cluster";
import { mockPulumi, type Registered, settled } from "../support/pulumi";
import { RIGHT_VALUES, rightArgs } from "../support/rightArgs";
import { limit } from "../../../scripts/tests/limits";

/** A resource of the user from which an argument comes. */
class Upstream extends pulumi.CustomResource {
    declare readonly value: pulumi.Output<any>;

    constructor(value: unknown) {
        // Pulumi doesn't take objects without a prototype, which fast-check makes.
        super("test:index:Upstream", "upstream", {
            // Nor does it take a plain value with a field toString.
            value: value === undefined ? undefined : pulumi.output(JSON.parse(JSON.stringify(value))),
        });
    }
}

const isUpstream = (urn: string) => urn.endsWith("::upstream");

/** The SDK's mark of an unknown value in a request. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

type Given = Record<string, any>;

/**
 * Registers a MiniCluster with an argument of the upstream resource, which has this value. In a preview, undefined is
 * an unknown value.
 */
async function register(value: unknown, args: (upstream: pulumi.Output<any>) => Given, preview = false) {
    const registered = await mockPulumi(answers, { preview });
    new MiniCluster("flow", { image: "registry.example/flux:1", ...args(new Upstream(value).value) });
    await settled();
    return registered.filter(({ name }) => name !== "upstream");
}

/** The inputs for which a test holds, as `resource input`. */
function inputsWhere(all: readonly Registered[], holds: (of: Registered, input: string) => boolean): string[] {
    const shown = ({ name, type }: Registered) => `${name} ${type.split(":").at(-1)}`;
    return all.flatMap((of) =>
        Object.keys(of.inputs)
            .filter((input) => holds(of, input))
            .map((input) => `${shown(of)} ${input}`),
    );
}

const LABELS = [
    "flow Service metadata",
    "flow-job IndexedJob files",
    "flow-job IndexedJob manifest",
    "flow-job IndexedJob secret",
    "flow-lead Service metadata",
];

/** Each argument with the inputs that use it. */
const USES: readonly [
    what: string,
    args: (of: pulumi.Output<any>) => Given,
    value: unknown,
    inputs: readonly string[],
][] = [
    ["an item of imagePullSecrets", (of) => ({ imagePullSecrets: [of] }), "pull", ["flow-job IndexedJob manifest"]],
    ["imagePullSecrets", (of) => ({ imagePullSecrets: of }), ["pull"], ["flow-job IndexedJob manifest"]],
    [
        "broker.extraConfig",
        (of) => ({ broker: { extraConfig: of } }),
        "# nothing",
        ["flow-job IndexedJob files", "flow-job IndexedJob manifest"],
    ],
    [
        "broker.port",
        (of) => ({ broker: { port: of }, command: ["true"] }),
        8100,
        ["flow-job IndexedJob files", "flow-job IndexedJob manifest", "flow-lead Service spec"],
    ],
    ["a hook", (of) => ({ hooks: { pre: of } }), "true", ["flow-job IndexedJob files", "flow-job IndexedJob manifest"]],
    ["a variable", (of) => ({ environment: { A: of } }), "a", ["flow-job IndexedJob manifest"]],
    [
        "a secret variable",
        (of) => ({ environment: { A: pulumi.secret(of) } }),
        "a",
        ["flow-job IndexedJob secret", "flow-job IndexedJob secretVersion"],
    ],
    ["a label", (of) => ({ labels: { team: of } }), "a", LABELS],
    ["annotations", (of) => ({ annotations: of }), { team: "a" }, LABELS],
    ["podLabels", (of) => ({ podLabels: of }), { team: "a" }, ["flow-job IndexedJob manifest"]],
    [
        "a volume",
        (of) => ({ volumes: [{ name: "v", mountPath: "/v", secret: of }] }),
        "s",
        ["flow-job IndexedJob manifest"],
    ],
    ["interrupt", (of) => ({ interrupt: of }), "allow", ["flow-job IndexedJob interrupt"]],
    ["fit", (of) => ({ fit: of }), "off", ["flow-job IndexedJob fit"]],
    ["timeouts.ready", (of) => ({ timeouts: { ready: of } }), 9, ["flow-status JobStatus timeouts"]],
    [
        "timeouts.delete",
        (of) => ({ timeouts: { delete: of } }),
        9,
        ["flow-job IndexedJob deleteTimeout", "flow-status JobStatus timeouts"],
    ],
    ["output.maxBytes", (of) => ({ output: { maxBytes: of } }), 9, ["flow-status JobStatus maxBytes"]],
    ["an item of triggers", (of) => ({ triggers: [of] }), 9, ["flow-job IndexedJob triggers"]],
    ["rotate", (of) => ({ rotate: of }), "a", ["flow-key CurveKey rotate"]],
];

describe("the inputs of a MiniCluster's resources", () => {
    // Many of the generated clusters have a limit of CPUs, of which each of them warns in the same words.
    const { warn } = console;
    before(() => (console.warn = () => undefined));
    after(() => (console.warn = warn));

    for (const [what, args, value, inputs] of USES) {
        it(`depend on the resource of ${what} if they use it: ${inputs.join(", ")}`, async () => {
            const all = await register(value, args);
            const found = inputsWhere(all, ({ sources }, input) => sources[input]?.some(isUpstream));
            assert.deepEqual(found.sort(), inputs.toSorted());
        });
    }

    // A Service whose inputs are unknown has unknown outputs, which go into more inputs.
    const isOfService = (input: string) => input.includes("Service");
    for (const [what, args, value, inputs] of USES.filter(([, , , of]) => !of.some(isOfService))) {
        it(`are unknown in a preview that doesn't know ${what} yet if they use it`, async () => {
            const [known, unknown] = [await register(value, args, true), await register(undefined, args, true)];
            const isUnknown = ({ inputs: of }: Registered, input: string) =>
                JSON.stringify(of[input]).includes(UNKNOWN);
            const before = inputsWhere(known, isUnknown);
            const added = inputsWhere(unknown, isUnknown).filter((input) => !before.includes(input));
            assert.deepEqual(added.sort(), inputs.toSorted());
        });
    }

    it("depend on a resource whenever another value of it changes them", async function () {
        this.timeout(600_000);
        const names = Object.keys(RIGHT_VALUES).filter((name) => !ARGUMENTS_IMMEDIATE.includes(name));
        const pair = fc
            .constantFrom(...names)
            .chain((name) => fc.tuple(fc.constant(name), RIGHT_VALUES[name], RIGHT_VALUES[name]));
        const cases = fc.tuple(rightArgs, pair, fc.nat(), fc.boolean());
        let compared = 0;
        const property = fc.asyncProperty(cases, async ([others, [name, one, two], choice, inside]) => {
            const place = inside ? placeIn(one, two, choice) : undefined;
            const whole = (value: unknown) => (place === undefined ? value : withPart(one, place, value));
            const [before, after] = place === undefined ? [one, two] : [part(one, place), part(two, place)];
            fc.pre([before, after].every((value) => isRight({ ...others, [name]: whole(value) })));
            const args = (of: pulumi.Output<any>) => ({ ...others, [name]: whole(of) });
            const [first, second] = [await register(before, args), await register(after, args)];
            // A few values are refused as an Output only, such as no services at all.
            fc.pre([first, second].every((all) => all.some(({ name }) => name === "flow-job")));
            const changed = new Map(second.map((of) => [`${of.type} ${of.name}`, of]));
            const isChanged = (of: Registered, input: string) =>
                JSON.stringify(of.inputs[input]) !==
                JSON.stringify(changed.get(`${of.type} ${of.name}`)?.inputs[input]);
            const reached = dependents(first);
            const missed = inputsWhere(first, (of, input) => isChanged(of, input) && !of.sources[input]?.some(reached));
            compared += inputsWhere(first, isChanged).length;
            assert.deepEqual(missed, [], `${name} ${JSON.stringify(place)}`);
        });
        await fc.assert(property, { endOnFailure: true, numRuns: 60, timeout: limit(60) * 1000 });
        assert(compared > 0);
    });
});

function isRight(args: Given): boolean {
    return decideCluster("flow", args as PlainArgs).problems.length === 0;
}

/** A field or an item that both values have. */
function placeIn(one: any, two: any, choice: number): string | undefined {
    const isObject = (value: unknown) => typeof value === "object" && value !== null;
    if (!isObject(one) || !isObject(two) || Array.isArray(one) !== Array.isArray(two)) {
        return undefined;
    }
    const places = Object.keys(one).filter((place) => Object.hasOwn(two, place));
    return places[choice % places.length];
}

const part = (value: any, place: string): unknown => value[place];

function withPart(value: any, place: string, changed: unknown): unknown {
    return Array.isArray(value) ? value.with(Number(place), changed) : { ...value, [place]: changed };
}

/** True for the upstream resource and all resources that depend on it. */
function dependents(all: readonly Registered[]): (urn: string) => boolean {
    const reached = (urn: string): boolean =>
        isUpstream(urn) ||
        all.some(
            ({ name, sources, type }) =>
                urn.endsWith(`${type}::${name}`) &&
                Object.values(sources)
                    .flat()
                    .filter((source) => source !== urn)
                    .some(reached),
        );
    return reached;
}

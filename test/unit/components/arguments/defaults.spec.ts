import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

import type { PlainArgs } from "../../../../components/args";
import { resolveSpec } from "../../../../components/arguments/decide";
import * as flux from "../../../../components/index";
import { type Argument, Description } from "../../../../scripts/generate/describe";

/** Arguments in which the fields of an argument have an effect. */
const AROUND: Readonly<Record<string, object>> = {
    archive: { archive: { persistentVolumeClaim: "queue" } },
    code: { code: { source: "test/golden/code" } },
    checkpoint: { checkpoint: {} },
    coresPerTask: { tasks: 4 },
    elastic: { command: [], elastic: {} },
    gpusPerTask: { tasks: 4 },
    launcher: { command: ["a"] },
    metrics: { metrics: {} },
    munge: {},
    output: { output: {} },
    restful: { command: [], restful: {} },
    results: { results: { paths: ["out/"] } },
    signal: { timeLimit: 90, signal: {} },
    user: { user: {} },
    view: { view: { image: "flux" } },
};

/** A default that a program can write: a number, a boolean, a member of an enumeration, or a text in backticks. */
function literal(text: string): unknown {
    const [, word] = /^(\d+(?:\.\d+)?|true|false|[A-Z]\w+\.\w+|`[^`]+`)(?=$|[:,;]| \(| with)/.exec(text) ?? [];
    if (word === undefined) {
        return undefined;
    }
    if (word.startsWith("`")) {
        return word.slice(1, -1);
    }
    const [type, member] = word.split(".");
    return /^[A-Z]/.test(word) ? (flux as any)[type][member] : JSON.parse(word);
}

interface Row {
    readonly path: readonly string[];
    readonly argument: Argument;
    readonly value: unknown;
}

function rows(list: readonly Argument[], path: readonly string[] = []): Row[] {
    return list.flatMap((argument) => {
        const here = [...path, argument.name];
        const isItem = typeof argument.shape === "object" && "list" in argument.shape;
        const value = literal(argument.default ?? "");
        const own = value === undefined ? [] : [{ path: here, argument, value }];
        return [...own, ...(isItem ? [] : rows(argument.fields, here))];
    });
}

function put(args: object, [key, ...rest]: readonly string[], value: unknown): object {
    const inner = (args as Record<string, object | undefined>)[key] ?? {};
    return { ...args, [key]: rest.length === 0 ? value : put(inner, rest, value) };
}

/** Another value of the same kind. */
function other(value: unknown, { choices }: Argument): unknown {
    if (typeof value === "boolean") {
        return !value;
    }
    const choice = choices.find((candidate) => candidate.value !== value);
    return typeof value === "number" ? value + 1 : (choice?.value ?? `${String(value)}x`);
}

/**
 * Defaults that the spec leaves to Flux or Kubernetes, and `keygen`, for which the spec keeps whether it is given: then no
 * certificate may be given.
 */
const LEFT_OPEN = new Set([
    "coresPerTask",
    "exclusive",
    "gpusPerTask",
    "keygen",
    "serviceAccountName",
    "signal.timeLeft",
    "urgency",
]);

/** Defaults in backticks that name something else: an argument or an object. */
const NAMES = new Set(["maxSize", "minSize"]);

describe("the @default of an argument of MiniCluster", () => {
    let all: Row[];

    before(() => {
        const found = rows(new Description().of("MiniClusterArgs"));
        all = found.filter(({ path }) => !NAMES.has(path.join(".")));
    });

    const around = ([name]: readonly string[]) => ({ image: "flux", command: ["a"], ...AROUND[name] });
    const decide = (args: object) => resolveSpec("lammps", args as PlainArgs);

    it("is the value that the argument has when it is left out", () => {
        const wrong = all.filter(
            ({ path, value }) =>
                !isDeepStrictEqual(decide(put(around(path), path, value)), decide(around(path))) &&
                !LEFT_OPEN.has(path.join(".")),
        );
        assert.deepEqual(
            wrong.map(({ path, value }) => `${path.join(".")} = ${value}`),
            [],
        );
    });

    it("makes another cluster if it is replaced by another value", () => {
        const without = all.filter(({ argument, path, value }) => {
            const changed = put(around(path), path, other(value, argument));
            return isDeepStrictEqual(decide(changed), decide(around(path)));
        });
        assert.deepEqual(
            without.map(({ path }) => path.join(".")),
            [],
        );
    });

    it("is compared for each argument whose default is a value", () => {
        assert.ok(all.length >= 40, `only ${all.length}`);
    });
});

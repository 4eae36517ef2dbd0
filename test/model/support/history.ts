import fc from "fast-check";

import type { UpOptions } from "./operationState";
import type { ScriptedFault } from "./recorder";
import type { History, ScriptedOperation } from "./replay";
import { type Edit, edit, plan } from "./edits";
import { keysOf, type Plan, programOf } from "./slots";

const faults: fc.Arbitrary<readonly ScriptedFault[]> = fc.oneof(
    { weight: 3, arbitrary: fc.constant<readonly ScriptedFault[]>([]) },
    {
        weight: 2,
        arbitrary: fc.array(
            fc.record({
                at: fc.nat(14),
                kind: fc.constantFrom<ScriptedFault["kind"]>(
                    "fail",
                    "fail",
                    "partial",
                    "partial",
                    "kill",
                    "kill after",
                    "cancel",
                ),
            }),
            { minLength: 1, maxLength: 2 },
        ),
    },
);

/** Numbers that select resources of the program at the time of the operation. */
const selection = fc.array(fc.nat(20), { minLength: 1, maxLength: 2 });

interface Drawn {
    readonly kind: "destroy" | "drift" | "preview" | "refresh" | "taint" | "up";
    readonly edits: readonly Edit[];
    readonly faults: readonly ScriptedFault[];
    readonly targeting: "exclude" | "none" | "replace" | "target replace" | "target";
    readonly dependents: boolean;
    readonly selected: readonly number[];
    readonly refresh: boolean;
    readonly continueOnError: boolean;
    readonly runProgram: boolean;
    readonly gone: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
    kind: fc.constantFrom<Drawn["kind"]>(
        "up",
        "up",
        "up",
        "up",
        "up",
        "up",
        "up",
        "preview",
        "preview",
        "refresh",
        "refresh",
        "destroy",
        "drift",
        "taint",
    ),
    edits: fc.array(edit, { maxLength: 4 }),
    faults,
    targeting: fc.constantFrom<Drawn["targeting"]>(
        "none",
        "none",
        "none",
        "none",
        "none",
        "target",
        "target",
        "exclude",
        "replace",
        "target replace",
    ),
    dependents: fc.boolean(),
    selected: selection,
    refresh: fc.constantFrom(false, false, false, false, true),
    continueOnError: fc.constantFrom(false, false, false, true),
    runProgram: fc.boolean(),
    gone: fc.boolean(),
});

/** Draws random programs with their edits, operations and faults. */
export const histories: fc.Arbitrary<History> = fc
    .tuple(plan, fc.array(drawn, { minLength: 3, maxLength: 8, size: "max" }))
    .map(([first, all]) => {
        let current = first;
        const operations = all.map((of, index): ScriptedOperation => {
            const before = keysOf(programOf(current));
            current = index === 0 ? current : of.edits.reduce((at, each) => each(at), current);
            // The first operation makes something for the later ones.
            return operationOf(index === 0 ? { ...of, kind: "up", targeting: "none" } : of, current, before);
        });
        return { operations };
    });

function operationOf(of: Drawn, current: Plan, before: ReadonlyMap<string, string>): ScriptedOperation {
    const program = programOf(current);
    const now = keysOf(program);
    const selected = of.selected.flatMap((number) => {
        const all = [...(number % 5 === 0 ? before : now).entries()];
        return all.length === 0 ? [] : [all[number % all.length]];
    });
    const keys = [...new Set(selected.map(([, key]) => key))];
    const names = selected.map(([name]) => name);
    if (of.kind === "drift") {
        return of.gone ? { kind: "drift", gone: names } : { kind: "drift", changed: names };
    }
    if (of.kind === "taint") {
        return {
            kind: "taint",
            tainted: keys.filter((key) => !key.startsWith("pulumi:") && !key.includes("rec:c:C::")),
        };
    }
    const kind = of.kind === "preview" ? "up" : of.kind;
    return { kind, program, options: optionsOf(of, keys), faults: of.faults };
}

// oxlint-disable-next-line complexity -- one rule for each option
function optionsOf(of: Drawn, keys: readonly string[]): UpOptions {
    const isUp = of.kind === "up" || of.kind === "preview";
    const hasTargets = keys.length > 0;
    const isTarget = hasTargets && (of.targeting === "target" || (of.targeting === "target replace" && isUp));
    const isExclude = hasTargets && of.targeting === "exclude";
    const isReplace = hasTargets && isUp && of.targeting.includes("replace");
    return {
        ...(of.kind === "preview" ? { preview: true } : {}),
        ...(isTarget ? { target: keys, targetDependents: of.dependents } : {}),
        ...(isExclude ? { exclude: keys, excludeDependents: of.dependents && of.kind !== "destroy" } : {}),
        ...(isReplace ? { replace: keys } : {}),
        ...(isUp && of.refresh ? { refresh: true } : {}),
        ...(of.continueOnError && (of.kind === "up" || of.kind === "destroy") ? { continueOnError: true } : {}),
        ...(of.kind === "destroy" && of.runProgram ? { runProgram: true } : {}),
    };
}

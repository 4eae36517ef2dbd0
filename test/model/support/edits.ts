import fc from "fast-check";

import { type Component, componentName, type Input, keysOf, type Plan, programOf, type Slot, slotName } from "./slots";

const SLOTS = 5;

const flags = fc.constantFrom("M", "D", "A", "DA", "P", "DP", "O", "DO", "AO", "Z", "DAP");
const text = fc.constantFrom("1", "2", "3");
const below = fc.nat(SLOTS - 1);
const input: fc.Arbitrary<Input> = fc.oneof(
    { weight: 2, arbitrary: text },
    { weight: 3, arbitrary: fc.record({ of: below, output: fc.constantFrom("out" as const, "out", "id") }) },
);
const maybe = <T>(value: fc.Arbitrary<T>, one = 4): fc.Arbitrary<T | undefined> =>
    fc.oneof({ weight: one - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const options: fc.Arbitrary<Slot["options"]> = fc.record({
    deleteBeforeReplace: maybe(fc.boolean(), 5),
    protect: maybe(fc.constant(true), 12),
    retainOnDelete: maybe(fc.constant(true), 10),
    replaceOnChanges: maybe(fc.constantFrom(["u"], ["#initerror"], ["*"]), 10),
    ignoreChanges: maybe(fc.constantFrom(["r"], ["u"], ["r", "u"], ["n"]), 8).map((of) => of ?? []),
    secretOutputs: maybe(fc.constant(["out"]), 10).map((of) => of ?? []),
});

const slot: fc.Arbitrary<Slot> = fc.record({
    present: fc.constantFrom(true, true, true, false),
    generation: fc.constant(0),
    flags,
    r: maybe(input, 2),
    u: maybe(input, 2),
    n: maybe(text, 6),
    bad: fc.constant(false),
    dependsOn: fc.array(below, { maxLength: 2 }).map((of) => [...new Set(of)]),
    parent: maybe(fc.nat(1), 3),
    provider: maybe(fc.constant(true), 4),
    deletedWith: maybe(below, 8),
    replaceWith: maybe(
        fc.array(below, { minLength: 1, maxLength: 2 }).map((of) => [...new Set(of)]),
        12,
    ),
    aliases: fc.constant([]),
    options,
});

export const plan: fc.Arbitrary<Plan> = fc.record({
    slots: fc.array(slot, { minLength: SLOTS, maxLength: SLOTS }),
    components: fc.tuple(component(), component()),
    provider: maybe(text, 3),
    providerDeletesFirst: maybe(fc.boolean(), 3),
    order: fc.array(fc.nat(9), { minLength: SLOTS, maxLength: SLOTS }),
});

function component(): fc.Arbitrary<Component> {
    return fc.record({
        present: fc.boolean(),
        generation: fc.constant(0),
        nested: fc.boolean(),
        aliases: fc.constant([]),
    });
}

/** An edit of the program. */
export type Edit = (plan: Plan) => Plan;

const change =
    (index: number, of: (slot: Slot, plan: Plan) => Partial<Slot>): Edit =>
    (plan) => ({
        ...plan,
        slots: plan.slots.map((slot, at) => (at === index ? { ...slot, ...of(slot, plan) } : slot)),
    });

/** How the program says what the resource was called before. */
const aliasKind = fc.constantFrom("none", "part", "part", "key");

export const edit: fc.Arbitrary<Edit> = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(below, input).map(([at, r]) => change(at, () => ({ r }))) },
    { weight: 4, arbitrary: fc.tuple(below, input).map(([at, u]) => change(at, () => ({ u }))) },
    { weight: 2, arbitrary: below.map((at) => change(at, ({ present }) => ({ present: !present }))) },
    { weight: 1, arbitrary: fc.tuple(below, options).map(([at, of]) => change(at, () => ({ options: of }))) },
    { weight: 1, arbitrary: fc.tuple(below, fc.boolean()).map(([at, bad]) => change(at, () => ({ bad }))) },
    {
        weight: 1,
        arbitrary: fc.tuple(below, maybe(below, 2)).map(([at, deletedWith]) => change(at, () => ({ deletedWith }))),
    },
    {
        weight: 1,
        arbitrary: fc
            .tuple(below, maybe(fc.constant(true), 2))
            .map(([at, provider]) => change(at, () => ({ provider }))),
    },
    { weight: 2, arbitrary: fc.tuple(below, aliasKind).map(([at, kind]) => renamed(at, kind)) },
    {
        weight: 2,
        arbitrary: fc.tuple(below, aliasKind, maybe(fc.nat(1), 2)).map(([at, kind, to]) => moved(at, kind, to)),
    },
    { weight: 1, arbitrary: fc.tuple(below, aliasKind, flags).map(([at, kind, to]) => retyped(at, kind, to)) },
    { weight: 1, arbitrary: fc.tuple(fc.nat(1), aliasKind).map(([at, kind]) => componentRenamed(at, kind)) },
    { weight: 1, arbitrary: maybe(text, 2).map((provider) => (of: Plan) => ({ ...of, provider })) },
    {
        weight: 1,
        arbitrary: fc
            .array(fc.nat(9), { minLength: SLOTS, maxLength: SLOTS })
            .map((order) => (of: Plan) => ({ ...of, order })),
    },
);

function keyIn(of: Plan, index: number): string {
    return keysOf(programOf(of)).get(slotName(index, of.slots[index], of)) ?? "";
}

function renamed(index: number, kind: string): Edit {
    return change(index, (slot, of) => {
        const before = slotName(index, slot, of);
        const alias = kind === "part" ? [{ name: before }] : kind === "key" ? [{ key: keyIn(of, index) }] : [];
        return { generation: slot.generation + 1, aliases: [...slot.aliases, ...alias].slice(-2) };
    });
}

function moved(index: number, kind: string, to: number | undefined): Edit {
    return change(index, (slot, of) => {
        const parent = slot.parent === undefined ? undefined : of.components[slot.parent];
        const former = parent?.present === true ? { parent: componentName(slot.parent!, parent) } : { noParent: true };
        const named = { ...former, name: slotName(index, slot, of) };
        const alias = kind === "part" ? [named] : kind === "key" ? [{ key: keyIn(of, index) }] : [];
        return { parent: to, aliases: [...slot.aliases, ...alias].slice(-2) };
    });
}

function retyped(index: number, kind: string, to: string): Edit {
    return change(index, (slot, of) => {
        const alias =
            kind === "part" ? [{ type: `rec:m:${slot.flags}` }] : kind === "key" ? [{ key: keyIn(of, index) }] : [];
        return { flags: to, aliases: to === slot.flags ? slot.aliases : [...slot.aliases, ...alias].slice(-2) };
    });
}

function componentRenamed(index: number, kind: string): Edit {
    return (of) => ({
        ...of,
        components: of.components.map((component, at) => {
            const before = componentName(at, component);
            const key = keysOf(programOf(of)).get(before);
            const alias = kind === "key" && key !== undefined ? { key } : { name: before };
            return at === index
                ? {
                      ...component,
                      generation: component.generation + 1,
                      aliases: kind === "none" ? component.aliases : [...component.aliases, alias].slice(-2),
                  }
                : component;
        }),
    });
}

import { keyOf } from "./keys";
import type { Registration } from "./program";
import type { Alias } from "./resourceOptions";

/** An input: a text, or an output of the resource in another slot. */
export type Input = string | { readonly of: number; readonly output: "id" | "out" };

/** A place of a program, in which one resource lives. It may depend on resources in lower slots. */
export interface Slot {
    readonly present: boolean;
    /** Grows with each rename. */
    readonly generation: number;
    /** The letters of the type, which decide the answers of the provider. */
    readonly flags: string;
    readonly r?: Input;
    readonly u?: Input;
    readonly n?: string;
    readonly bad?: boolean;
    readonly dependsOn: readonly number[];
    /** The component that is its parent: 0, 1 or none. */
    readonly parent?: number;
    readonly provider?: boolean;
    readonly deletedWith?: number;
    readonly replaceWith?: readonly number[];
    readonly aliases: readonly Alias[];
    readonly options: Pick<Registration, "deleteBeforeReplace" | "protect" | "replaceOnChanges" | "retainOnDelete"> & {
        readonly ignoreChanges?: readonly string[];
        readonly secretOutputs?: readonly string[];
    };
}

export interface Component {
    readonly present: boolean;
    readonly generation: number;
    readonly nested: boolean;
    readonly aliases: readonly Alias[];
}

/** A program that the user edits. */
export interface Plan {
    readonly slots: readonly Slot[];
    readonly components: readonly Component[];
    /** Input r of the explicit provider. Without it, the program has none. */
    readonly provider?: string;
    readonly providerDeletesFirst?: boolean;
    /** Slots with a higher number are registered as late as possible. */
    readonly order: readonly number[];
}

export const COMPONENT_TYPE = "rec:c:C";
const PROVIDER = "prov";

export function slotName(index: number, { generation, parent }: Slot, { components }: Plan): string {
    const own = `${"abcdef"[index]}${generation === 0 ? "" : generation}`;
    // Some children have their parent's name in theirs.
    const of = parent === undefined ? undefined : components[parent];
    return of?.present === true && index % 2 === 1 ? `${componentName(parent!, of)}-${own}` : own;
}

export function componentName(index: number, { generation }: Component): string {
    return `${"xy"[index]}${generation === 0 ? "" : generation}`;
}

/** The resources of a program, in the order of their registration. */
export function programOf(plan: Plan): Registration[] {
    const components = plan.components.flatMap((component, index) =>
        component.present ? [componentOf(plan, component, index)] : [],
    );
    const provider: Registration[] =
        plan.provider === undefined
            ? []
            : [
                  {
                      ...bare(PROVIDER, "pulumi:providers:rec"),
                      inputs: { r: plan.provider },
                      deleteBeforeReplace: plan.providerDeletesFirst,
                  },
              ];
    return [...provider, ...components, ...ordered(plan).map((index) => resourceOf(plan, index))];
}

/** Keys of the resources of a program by name. */
export function keysOf(program: readonly Registration[]): Map<string, string> {
    const keys = new Map<string, string>();
    for (const { name, parent, type } of program) {
        keys.set(name, keyOf(type, name, keys.get(parent ?? "")));
    }
    return keys;
}

/** A registration without inputs and options. */
export function bare(name: string, type: string): Registration {
    return {
        name,
        type,
        inputs: {},
        dependencies: [],
        ignoreChanges: [],
        deleteBeforeReplace: undefined,
        secretOutputs: [],
        secretInputs: [],
    };
}

function componentOf({ components }: Plan, component: Component, index: number): Registration {
    const isNested = component.nested && index === 1 && components[0]?.present === true;
    return {
        ...bare(componentName(index, component), COMPONENT_TYPE),
        component: true,
        parent: isNested ? componentName(0, components[0]) : undefined,
        aliases: component.aliases,
    };
}

// oxlint-disable-next-line complexity -- one rule for each option
function resourceOf(plan: Plan, index: number): Registration {
    const slot = plan.slots[index];
    const nameAt = (at: number | undefined) => {
        const of = at === undefined ? undefined : plan.slots[at];
        return of?.present === true && at! < index ? slotName(at!, of, plan) : undefined;
    };
    const inputs: Record<string, string> = {};
    const needed = new Set(slot.dependsOn.flatMap((at) => nameAt(at) ?? []));
    for (const name of ["r", "u"] as const) {
        const value = slot[name];
        if (typeof value === "string") {
            inputs[name] = value;
        } else if (value !== undefined) {
            const from = nameAt(value.of);
            inputs[name] = from === undefined ? "alone" : `<<${from}.${value.output}>>`;
            needed.add(from ?? "");
        }
    }
    if (slot.n !== undefined) {
        inputs["n"] = slot.n;
    }
    if (slot.bad === true) {
        inputs["f"] = "bad";
    }
    needed.delete("");
    const parent = slot.parent === undefined ? undefined : plan.components[slot.parent];
    return {
        ...bare(slotName(index, slot, plan), `rec:m:${slot.flags}`),
        ...slot.options,
        inputs,
        dependencies: [...needed],
        parent: parent?.present === true ? componentName(slot.parent!, parent) : undefined,
        provider: slot.provider === true && plan.provider !== undefined ? PROVIDER : undefined,
        deletedWith: nameAt(slot.deletedWith),
        replaceWith: slot.replaceWith?.flatMap((at) => nameAt(at) ?? []),
        aliases: slot.aliases,
    };
}

/** The present slots, each after those that it may need, the lowest of `order` first. */
function ordered({ order, slots }: Plan): number[] {
    const left = slots.flatMap(({ present }, index) => (present ? [index] : []));
    const done: number[] = [];
    while (left.length > 0) {
        const ready = left.filter((index) => needs(slots[index]).every((at) => !left.includes(at) || at >= index));
        const next = ready.sort((a, b) => order[a] - order[b] || a - b)[0];
        done.push(next);
        left.splice(left.indexOf(next), 1);
    }
    return done;
}

function needs({ deletedWith, dependsOn, r, replaceWith = [], u }: Slot): number[] {
    const inputs = [r, u].flatMap((value) => (typeof value === "object" ? [value.of] : []));
    return [...inputs, ...dependsOn, ...replaceWith, ...(deletedWith === undefined ? [] : [deletedWith])];
}

import type { Chance } from "./chance";
import type { Engine } from "./engine";
import { isProviderType } from "./keys";
import type { Call, Recorder } from "./recorder";
import type { ScriptedOperation, Trace } from "./replay";
import type { State } from "./snapshot";

/** Targets whose orders are tried: more would be too many. */
const MOST_TARGETS = 4;

/** The chance of a recorded run. What the record doesn't show is tried. */
export class RunChance implements Chance {
    private recorder!: Recorder;

    constructor(
        private readonly trace: Trace,
        private readonly attempt: number,
    ) {}

    /** The number of attempts that an operation is worth. */
    static attempts({ faults = [], options = {} }: ScriptedOperation, _trace: Trace): number {
        const others = options.exclude === undefined ? 1 : 2;
        const orders = options.target === undefined ? others : factorial(MOST_TARGETS);
        return orders * (faults.some(({ kind }) => kind === "cancel") ? 3 : 1);
    }

    watch(engine: Engine, recorder: Recorder): void {
        this.recorder = recorder;
        engine.chance = this;
        engine.afterwards = this.attempt % 3;
    }

    deletions<T extends State>(states: readonly T[]): readonly T[] {
        return this.ordered(states);
    }

    cascade<T extends State>(states: readonly T[]): readonly T[] {
        return [...this.ordered(states)].reverse();
    }

    excluded<T extends State>(states: readonly T[]): readonly T[] {
        return this.attempt % 2 === 1 ? [...states].reverse() : states;
    }

    /** In the order of the states that the run has left. */
    needed(keys: readonly string[]): readonly string[] {
        const place = (key: string) => this.trace.states.findIndex((of) => (of as { key: string }).key === key);
        return [...keys].sort((a, b) => place(a) - place(b));
    }

    targets<T extends State>(states: readonly T[][]): readonly T[][] {
        return permutation(states, this.attempt);
    }

    /** In the order of the recorded calls. Without a call, a resource that the run has left in the state comes last. */
    private ordered<T extends State>(states: readonly T[]): readonly T[] {
        const from = this.recorder.calls.length;
        const isCall = (state: T) => (call: Call, index: number) =>
            index >= from && call.verb === "delete" && call.key === state.key && call.id === state.id;
        const place = (state: T): number => {
            const at = this.trace.calls.findIndex(isCall(state));
            const isLeft =
                hasCall(state) ||
                this.trace.states.some((of) => {
                    const { flags = "", id = "", key } = of as { key: string; id?: string; flags?: string };
                    return (
                        key === state.key &&
                        id === (isProviderType(state.type) ? "" : state.id) &&
                        flags.includes("delete") === (state.delete === true)
                    );
                });
            return at >= 0 ? at : isLeft ? Number.MAX_SAFE_INTEGER : -1;
        };
        return [...states].sort((a, b) => place(a) - place(b));
    }
}

/** Whether the deletion is a call of the provider. Then the recorded run has ended before it. */
function hasCall({ component, deletedWith, retainOnDelete, type }: State): boolean {
    return component !== true && retainOnDelete !== true && deletedWith === undefined && !isProviderType(type);
}

function factorial(of: number): number {
    return of <= 1 ? 1 : of * factorial(of - 1);
}

/** The permutation of this number. */
function permutation<T>(items: readonly T[], number: number): T[] {
    const left = [...items];
    const result: T[] = [];
    for (let rest = number; left.length > 0; ) {
        const at = rest % left.length;
        rest = Math.floor(rest / left.length);
        result.push(...left.splice(at, 1));
    }
    return result;
}

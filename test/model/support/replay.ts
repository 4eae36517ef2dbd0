import { isDeepStrictEqual } from "node:util";

import { Interrupted } from "./calls";
import { Engine } from "./engine";
import type { Host } from "./host";
import { isProviderType, keyOf } from "./keys";
import type { UpOptions } from "./operationState";
import type { Registration } from "./program";
import { type Call, type Objects, Recorder, type ScriptedFault } from "./recorder";
import type { Rules } from "./rules";
import { RunChance } from "./runChance";
import { Snapshot, type State } from "./snapshot";
import { bare } from "./slots";

/** A call of the CLI, or an event between two calls. */
export interface ScriptedOperation {
    readonly kind: "destroy" | "drift" | "refresh" | "taint" | "up";
    readonly program?: readonly Registration[];
    readonly options?: UpOptions;
    readonly faults?: readonly ScriptedFault[];
    /** Names of resources whose objects another client deletes or changes. */
    readonly gone?: readonly string[];
    readonly changed?: readonly string[];
    /** Keys of resources. */
    readonly tainted?: readonly string[];
}

export interface History {
    readonly operations: readonly ScriptedOperation[];
}

/** What the real engine did in an operation, as test/engine writes it. */
export interface Trace {
    readonly calls: readonly Call[];
    readonly ok: boolean;
    readonly error?: string;
    readonly states: readonly object[];
    readonly pending?: readonly string[];
}

export interface Difference {
    readonly operation: number;
    readonly text: string;
}

interface Result {
    readonly calls: readonly Call[];
    readonly ok: boolean;
    readonly error?: Error;
    readonly interrupted: boolean;
    readonly states: readonly object[];
    readonly pending: readonly string[];
}

/** Runs histories on the model, and compares each operation with the real engine's. */
export class Replay {
    private snapshot = new Snapshot();
    private objects: Objects = { outputs: new Map(), created: 0 };

    constructor(private readonly rules: Rules) {}

    /** The first difference. The model decides by chance what the real engine decides by chance. */
    async compare({ operations }: History, traces: readonly Trace[]): Promise<Difference | undefined> {
        for (const [at, trace] of traces.entries()) {
            const text = await this.step(operations[at], trace);
            if (text !== undefined) {
                return { operation: at, text };
            }
            if (isBroken(trace)) {
                return undefined;
            }
        }
        return undefined;
    }

    private async step(operation: ScriptedOperation, trace: Trace): Promise<string | undefined> {
        if (operation.kind === "drift" || operation.kind === "taint") {
            this.meddle(operation);
            return undefined;
        }
        const before = this.copy();
        let first: string | undefined;
        for (let attempt = 0; attempt < RunChance.attempts(operation, trace); attempt++) {
            [this.snapshot, this.objects] = [before.snapshot(), before.objects()];
            const text = compareResults(trace, await this.run(operation, new RunChance(trace, attempt)));
            if (text === undefined) {
                return undefined;
            }
            first ??= text;
        }
        return first;
    }

    private copy() {
        const { objects, snapshot } = this;
        const outputs = [...objects.outputs].map(([id, values]) => [id, { ...values }] as const);
        return {
            snapshot: () => Object.assign(new Snapshot(), { states: snapshot.states, operations: snapshot.operations }),
            objects: () => ({
                outputs: new Map(outputs.map(([id, values]) => [id, { ...values }])),
                created: objects.created,
            }),
        };
    }

    private async run(operation: ScriptedOperation, chance: RunChance): Promise<Result> {
        const recorder = new Recorder(this.objects, operation.faults ?? []);
        const host = { verb: "", request: 0, died: new Promise<never>(() => undefined) } as unknown as Host;
        const engine = new Engine(
            this.snapshot,
            (_type, about) => recorder.verbs(about),
            host,
            () => undefined,
            this.rules,
        );
        recorder.engine = engine;
        engine.defaultProvider = DEFAULT_PROVIDER;
        chance.watch(engine, recorder);
        const { kind, options = {}, program = [] } = operation;
        const work = {
            destroy: () => engine.destroy(options, program),
            refresh: () => engine.refresh(options),
            up: () => engine.up(program, options),
        };
        let error: Error | undefined;
        try {
            await work[kind as "up"]();
        } catch (thrown) {
            error = thrown as Error;
        }
        return {
            calls: recorder.calls,
            ok: error === undefined || (error instanceof Interrupted && !error.reported),
            error,
            interrupted: engine.interrupted,
            states: this.snapshot.states.filter(({ key }) => key !== DEFAULT_KEY).map(savedState),
            pending: this.snapshot.operations
                .filter(({ key }) => key !== DEFAULT_KEY)
                .map(({ key, type }) => `${type} ${key}`),
        };
    }

    /** Other clients change objects, and the user taints resources. */
    private meddle({ changed = [], gone = [], tainted = [] }: ScriptedOperation): void {
        for (const state of this.snapshot.states) {
            const object = this.objects.outputs.get(state.id);
            if (gone.includes(state.name)) {
                this.objects.outputs.delete(state.id);
            }
            if (object !== undefined && changed.includes(state.name)) {
                object["drift"] = "drifted";
            }
            if (state.delete !== true && tainted.includes(state.key)) {
                this.snapshot.put({ ...state, taint: true }, state);
            }
        }
    }
}

const DEFAULT_PROVIDER = bare("default", "pulumi:providers:rec");

const DEFAULT_KEY = keyOf(DEFAULT_PROVIDER.type, DEFAULT_PROVIDER.name);

/** A state as test/engine writes it. */
function savedState(state: State): object {
    const flags = ["delete", "pendingReplacement", "protect", "retainOnDelete", "taint"].filter(
        (name) => state[name as "taint"] === true,
    );
    const saved = {
        key: state.key,
        id: isProviderType(state.type) ? "" : state.id,
        flags: [...flags, ...((state.initErrors ?? []).length > 0 ? ["initErrors"] : [])].join(" "),
        inputs: state.inputs,
        outputs: state.outputs,
        parent: state.parent ?? "",
        dependencies: [...state.dependencies].sort(),
        propertyDependencies: state.propertyDependencies,
        deletedWith: state.deletedWith ?? "",
        replaceWith: state.replaceWith ?? [],
        provider: state.provider === undefined || state.provider.key === DEFAULT_KEY ? "" : state.provider.key,
    };
    return Object.fromEntries(Object.entries(saved).filter(([, value]) => Object.keys(value).length > 0));
}

/** The engine has refused its own state. The model doesn't follow it there. */
export function isBroken({ error = "", states }: Trace): boolean {
    return error.includes("failed to verify snapshot") || error.startsWith("panic: ") || !isWhole(states);
}

/**
 * Whether each state comes after those that it needs. The engine verifies that at each step, but reports only its first
 * error, which may be that of a step before.
 */
function isWhole(states: Trace["states"]): boolean {
    const known = new Set<string>();
    return states.every((state) => {
        const { dependencies = [], key, parent } = state as { dependencies?: string[]; key: string; parent?: string };
        const isKnown = [...dependencies, parent ?? key].every((of) => of === key || known.has(of));
        known.add(key);
        return isKnown;
    });
}

/** Calls of steps, which the engine doesn't make after it has refused its state. */
const STEPS: readonly string[] = ["create", "delete", "read", "update"];

/** The model's calls for those of an engine that has refused its state: without the steps that it has left out. */
function reached(calls: readonly Call[], real: readonly Call[]): readonly Call[] {
    const found: Call[] = [];
    for (const call of calls) {
        const next = real[found.length];
        if (next !== undefined && (isDeepStrictEqual(plain(call), plain(next)) || !STEPS.includes(call.verb))) {
            found.push(call);
        }
    }
    return found;
}

// oxlint-disable-next-line complexity -- one rule for each part of a result
function compareResults(real: Trace, model: Result): string | undefined {
    const calls = real.calls.map(plain);
    const own = (isBroken(real) ? reached(model.calls, real.calls) : model.calls).map(plain);
    const at = calls.findIndex((call, index) => !isDeepStrictEqual(call, own[index]));
    if (at >= 0 || own.length > calls.length) {
        const index = at >= 0 ? at : calls.length;
        return [
            `call ${index}: engine ${JSON.stringify(calls[index])}, model ${JSON.stringify(own[index])}`,
            `engine: ${real.error ?? "ok"}; model: ${model.error?.message ?? "ok"}`,
        ].join("\n");
    }
    if (isBroken(real)) {
        return undefined;
    }
    // After a Ctrl-C in the last steps, the CLI reports a success or a failure by chance.
    const isChance = model.interrupted && (model.error === undefined || model.error instanceof Interrupted);
    if (real.ok !== model.ok && !isChance) {
        return `result: engine ${real.error ?? "ok"}, model ${model.error?.stack ?? "ok"}`;
    }
    const [states, ownStates] = [real.states.map(withoutSecrets), model.states];
    const differs = [...states.keys(), ...ownStates.keys()].find(
        (index) => !isDeepStrictEqual(states[index], plain(ownStates[index])),
    );
    if (differs !== undefined) {
        return `state ${differs}: engine ${JSON.stringify(states[differs])}, model ${JSON.stringify(ownStates[differs])}`;
    }
    if (!isDeepStrictEqual([...(real.pending ?? [])].sort(), [...model.pending].sort())) {
        return `pending: engine ${JSON.stringify(real.pending)}, model ${JSON.stringify(model.pending)}`;
    }
    return undefined;
}

function withoutSecrets(state: object): object {
    const { secret: _secret, ...rest } = state as { secret?: unknown };
    const { dependencies = [] } = rest as { dependencies?: string[] };
    return plain({ ...rest, dependencies: [...dependencies].sort() });
}

/** Without empty fields. */
function plain(value: object | undefined): object {
    const fields = Object.entries(JSON.parse(JSON.stringify(value ?? {})) as object);
    return Object.fromEntries(fields.filter(([, of]) => Object.keys(of as object).length > 0));
}

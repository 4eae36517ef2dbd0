import { processes } from "./clock";
import type { Host } from "./host";
import type { Registration } from "./program";
import type { Snapshot, State } from "./snapshot";

/** The verbs of a resource as the engine calls them. */
export interface Provider {
    check(
        olds: object,
        news: object,
    ): Promise<{ inputs: object; failures?: readonly { property: string; reason: string }[] }>;
    diff(
        id: string,
        olds: object,
        news: object,
    ): Promise<{ changes: boolean; replaces?: readonly string[]; deleteBeforeReplace?: boolean }>;
    create(inputs: object): Promise<{ id: string; outs: object }>;
    read(id: string, props: object): Promise<{ id?: string; props?: object; inputs?: object }>;
    update(id: string, olds: object, news: object): Promise<{ outs: object }>;
    delete(id: string, props: object): Promise<void>;
}

export interface UpOptions {
    readonly preview?: boolean;
    /** `--replace`: names of resources. */
    readonly replace?: readonly string[];
    /** `--target`. With `--target-replace` the names are in both. */
    readonly target?: readonly string[];
}

/** A step of an operation. */
export type Op = "create" | "delete" | "replace" | "same" | "update";

/** Stops a running operation, because the CLI was killed. */
export class CliGone extends Error {}

/** The value of an unknown property in `check` and `diff` at preview. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The steps of a deployment (step.go), and the moments of saving their results (backend/snapshot.go). */
export class Steps {
    /** Set by the first Ctrl-C. Running steps end, and no step starts (step_executor.go). */
    interrupted = false;
    readonly ops = new Map<string, Op>();
    /** The CLI was killed and saves nothing more. */
    private gone = false;
    private die!: (error: Error) => void;
    private readonly died = new Promise<never>((_resolve, reject) => (this.die = reject));
    /** Resources that this operation has deleted with their dependencies and must recreate. */
    protected readonly deleted = new Map<string, State>();
    protected readonly outputs = new Map<string, Readonly<Record<string, any>>>();

    constructor(
        protected readonly snapshot: Snapshot,
        private readonly provider: (type: string) => Provider,
        private readonly host: Host,
        /** Gets the texts that the CLI shows. */
        private readonly show: (text: string) => void,
    ) {
        this.died.catch(() => undefined);
    }

    /** Ends the operation as a kill of the CLI or a second Ctrl-C does. */
    kill(): void {
        this.gone = true;
        this.die(new CliGone("the CLI is gone"));
    }

    /** CreateStep, also of a replacement. `old` is the replaced resource. With `deletesLater` it is deleted at last. */
    protected async createStep(
        wanted: Registration,
        inputs: Record<string, any>,
        options: UpOptions,
        old?: State,
        deletesLater = false,
    ): Promise<void> {
        this.ops.set(wanted.name, old === undefined ? "create" : "replace");
        if (options.preview) {
            return;
        }
        const operation = { name: wanted.name, type: "creating" } as const;
        this.begin(operation);
        const state = (id: string, outputs: object, initErrors?: readonly string[]): State =>
            this.stateOf(wanted, { id, inputs, outputs, initErrors });
        const save = (created: State) => {
            if (old?.pendingReplacement) {
                this.snapshot.remove(old);
            } else if (old !== undefined && deletesLater) {
                this.snapshot.put({ ...old, delete: true }, old);
            }
            this.snapshot.put(created);
            this.outputs.set(wanted.name, outputsOf(created));
        };
        try {
            const { id, outs } = await this.call(wanted.type, "create", (verbs) => verbs.create(inputs));
            save(state(id, outs));
        } catch (error) {
            this.savePartial(error, (id, outputs, reasons) => save(state(id, outputs, reasons)));
            throw error;
        } finally {
            this.finish(operation);
        }
        this.deleted.delete(wanted.name);
    }

    protected async updateStep(
        wanted: Registration,
        old: State,
        inputs: Record<string, any>,
        options: UpOptions,
    ): Promise<void> {
        this.ops.set(wanted.name, "update");
        if (options.preview) {
            this.outputs.set(wanted.name, { id: old.id, uid: old.id.split("/").at(-1) });
            return;
        }
        const operation = { name: wanted.name, type: "updating" } as const;
        this.begin(operation);
        const save = (outputs: object, initErrors?: readonly string[]) => {
            const updated = this.stateOf(wanted, { id: old.id, inputs, outputs, initErrors });
            this.snapshot.put(updated, old);
            this.outputs.set(wanted.name, outputsOf(updated));
        };
        try {
            save((await this.call(wanted.type, "update", (verbs) => verbs.update(old.id, old.outputs, inputs))).outs);
        } catch (error) {
            this.savePartial(error, (_id, outputs, reasons) => save(outputs, reasons));
            throw error;
        } finally {
            this.finish(operation);
        }
    }

    /** DeleteStep. With `pending` the state is kept for the replacement. */
    protected async deleteStep(state: State, { preview }: UpOptions, pending = false): Promise<void> {
        if (!pending) {
            this.ops.set(state.name, state.delete ? (this.ops.get(state.name) ?? "replace") : "delete");
        }
        if (preview) {
            return;
        }
        // RemovePendingReplaceStep: the resource is already deleted.
        if (!state.pendingReplacement) {
            const operation = { name: state.name, type: "deleting" } as const;
            this.begin(operation);
            try {
                await this.call(state.type, "delete", (verbs) => verbs.delete(state.id, state.outputs));
            } finally {
                this.finish(operation);
            }
        }
        if (pending) {
            this.snapshot.put({ ...state, pendingReplacement: true }, state);
        } else {
            this.snapshot.remove(state);
        }
    }

    protected async refreshStep(state: State): Promise<void> {
        const { id, inputs, props } = await this.call(state.type, "read", (verbs) =>
            verbs.read(state.id, state.outputs),
        );
        if (id === undefined || id === "") {
            this.ops.set(state.name, "delete");
            this.snapshot.remove(state);
            return;
        }
        const refreshed = {
            ...state,
            id,
            initErrors: undefined,
            inputs: inputs === undefined ? state.inputs : { ...inputs, __provider: state.inputs["__provider"] },
            outputs: props ?? {},
        };
        this.ops.set(state.name, "same");
        this.snapshot.put(refreshed, state);
    }

    protected same(wanted: Registration, old: State, inputs: Record<string, any>): void {
        this.ops.set(wanted.name, "same");
        const same = this.stateOf(wanted, { id: old.id, inputs, outputs: old.outputs });
        this.snapshot.put(same, old);
        this.outputs.set(wanted.name, outputsOf(same));
    }

    /** A resource that is not a target stays unchanged. If it does not exist, it is not created. */
    protected async passBy(wanted: Registration, old: State | undefined, options: UpOptions): Promise<void> {
        if (old !== undefined && this.deleted.has(wanted.name)) {
            // A target's replacement has deleted this resource, so it is recreated with its old inputs
            // (continueStepsFromImport, checkInputs).
            await this.createStep(wanted, old.inputs, options, old);
        } else if (old !== undefined) {
            this.ops.set(wanted.name, "same");
            this.outputs.set(wanted.name, outputsOf(old));
        }
    }

    /** Runs a verb in its host. The engine waits for it, unless the CLI or the host is killed. */
    protected async call<T>(type: string, verb: string, act: (verbs: Provider) => Promise<T>): Promise<T> {
        if (this.interrupted) {
            throw new Error("the operation was cancelled");
        }
        this.host.verb = `${type}.${verb}`;
        this.host.request = 0;
        const result = processes.run(this.host, () => act(this.provider(type)));
        try {
            // As on the wire.
            const answer = await Promise.race([result, this.host.died, this.died]);
            return answer === undefined ? answer : (JSON.parse(JSON.stringify(answer)) as T);
        } catch (error) {
            result.catch(() => undefined);
            if (!(error instanceof CliGone)) {
                this.show(`${type}: ${(error as Error).message}`);
            }
            throw error;
        }
    }

    private begin(operation: { name: string; type: "creating" | "deleting" | "updating" }): void {
        if (this.interrupted) {
            throw new Error("the operation was cancelled");
        }
        this.snapshot.begin(operation);
    }

    private finish(operation: { name: string; type: "creating" | "deleting" | "updating" }): void {
        if (!this.gone) {
            this.snapshot.end(operation);
        }
    }

    /** Saves the resource of a failure with an id, with the reasons. Such a resource exists. */
    private savePartial(error: unknown, save: (id: string, outputs: object, reasons: readonly string[]) => void): void {
        const { id, properties, reasons } = error as { id?: string; properties?: object; reasons?: readonly string[] };
        if (id !== undefined && !(error instanceof CliGone)) {
            save(id, JSON.parse(JSON.stringify(properties ?? {})) as object, reasons ?? []);
        }
    }

    private stateOf(
        wanted: Registration,
        {
            id,
            initErrors,
            inputs,
            outputs,
        }: { id: string; inputs: object; outputs: object; initErrors?: readonly string[] },
    ): State {
        const { dependencies, name, secretInputs, secretOutputs, type } = wanted;
        return {
            name,
            type,
            id,
            inputs: inputs as Record<string, any>,
            dependencies,
            initErrors,
            outputs: { ...outputs, __provider: (inputs as Record<string, any>)["__provider"] },
            propertyDependencies: dependenciesOf(wanted),
            secretNames: [...secretInputs, ...secretOutputs],
        };
    }

    /** Replaces references in inputs with outputs of earlier resources. Some are unknown at preview. */
    protected resolve(value: unknown, options: UpOptions): unknown {
        if (typeof value === "string") {
            if (!value.includes("<<")) {
                return value;
            }
            let known = true;
            const text = value.replace(/<<([^.>]+)\.([^>]+)>>/g, (_all, name: string, output: string) => {
                const found = this.outputs.get(name)?.[output];
                known &&= found !== undefined;
                return String(found);
            });
            if (!known && !options.preview) {
                throw new Error(`the model has no value for ${value}`);
            }
            return known ? text : UNKNOWN;
        }
        if (typeof value !== "object" || value === null || !hasReferences(value)) {
            return value;
        }
        if (Array.isArray(value)) {
            return value.map((item) => this.resolve(item, options));
        }
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.resolve(item, options)]));
    }
}

/** Caches for programs, which are the same objects in all histories. */
const referring = new WeakMap<object, boolean>();
const depending = new WeakMap<Registration, State["propertyDependencies"]>();

function hasReferences(value: object): boolean {
    return remember(referring, value, () => referencesIn(value).length > 0);
}

/** The resources that each input of a resource refers to. */
function dependenciesOf(wanted: Registration): State["propertyDependencies"] {
    return remember(depending, wanted, () => {
        const inputs = Object.entries(wanted.inputs).map(([key, value]) => [key, referencesIn(value)] as const);
        return Object.fromEntries(inputs.filter(([, of]) => of.length > 0));
    });
}

function remember<K extends object, V>(known: WeakMap<K, V>, key: K, find: () => V): V {
    const value = known.get(key) ?? find();
    known.set(key, value);
    return value;
}

/** The outputs that references can name. The last part of an id is the UID. */
function outputsOf({ id, outputs }: State): Record<string, any> {
    return { ...outputs, id, uid: outputs["uid"] ?? id.split("/").at(-1) };
}

function referencesIn(value: unknown): string[] {
    return [...JSON.stringify(value).matchAll(/<<([^.>]+)\./g)].map(([, name]) => name);
}

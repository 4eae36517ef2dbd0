import type { DynamicType } from "../../../provider/shim";
import { Engine } from "./engine";
import { type Fault } from "./fault";
import { Host } from "./host";
import type { Operation } from "./operation";
import { makeClientNode } from "./clientNode";
import { type Registration, registrations } from "./program";
import { type LoadedProvider, loadProvider } from "./provider";
import { service } from "./service";
import { Snapshot, type State } from "./snapshot";
import type { UpOptions } from "./steps";
import type { Wish } from "./wish";
import type { World } from "./world";

/** How an operation ended. */
export interface Done {
    readonly operation: Operation;
    /** Undefined where it succeeded. */
    readonly error?: Error;
    /** What it did, by resource. */
    readonly ops: ReadonlyMap<string, string>;
}

let loaded: LoadedProvider | undefined;

function provider(): LoadedProvider {
    loaded ??= loadProvider(makeClientNode());
    return loaded;
}

function verbsOf(type: string): any {
    if (type === "Service") {
        return service;
    }
    return provider().verbs(type as DynamicType);
}

/** A stack: what its program asks for, and what its state holds. */
export class Stack {
    readonly snapshot = new Snapshot();
    /** All nonces that it has ever had: whose Job is its own. */
    readonly nonces = new Set<string>();
    /** Others have changed something that no refresh has seen. */
    disturbed = false;
    /** The last operation was an up that succeeded, and nothing was asked for since. */
    settled = false;
    /** Operations that failed: what they were deleting may still go, of which the engine warns, and only a refresh tells. */
    readonly interrupted: Operation[] = [];
    /** UIDs of Jobs that went while the state said that they have a TTL: whether they had expired, nobody can tell. */
    readonly expired = new Set<string>();
    /** Secret values that nothing may show. */
    readonly secrets = new Set<string>();
    /** A refresh has asked another cluster, and so has taken the Services for gone: nothing knows what they own. */
    astray = false;

    constructor(
        readonly world: World,
        public wish: Wish,
    ) {
        world.stacks.push(this);
    }

    /** Tells stacks apart whose clusters have the same name. */
    get id(): string {
        return `stack ${this.world.stacks.indexOf(this) + 1}`;
    }

    /** Of its cluster. */
    get name(): string {
        return this.wish.name;
    }

    /** The state may not say what is there: the user has been told to refresh, or others have changed something. */
    get uncertain(): boolean {
        const uid = this.find("job")?.id.split("/")[2] ?? "";
        return this.disturbed || this.interrupted.some(({ deletes }) => deletes.has(uid));
    }

    /** The resource with this last part of its name. */
    find(part: "job" | "key" | "lead" | "run-submission" | "status"): State | undefined {
        return this.snapshot.find(`${this.name}-${part}`);
    }

    up(options: UpOptions = {}, faults: readonly Fault[] = []): Promise<Done> {
        return this.operate(options.preview ? "preview" : "up", options, faults);
    }

    refresh(faults: readonly Fault[] = []): Promise<Done> {
        return this.operate("refresh", {}, faults);
    }

    destroy(faults: readonly Fault[] = []): Promise<Done> {
        return this.operate("destroy", {}, faults);
    }

    /** `pulumi state taint`. */
    taint(name: string): boolean {
        const state = this.snapshot.find(name);
        if (state === undefined) {
            return false;
        }
        this.snapshot.put({ ...state, taint: true }, state);
        this.settled = false;
        return true;
    }

    private async operate(kind: Operation["kind"], options: UpOptions, faults: readonly Fault[]): Promise<Done> {
        const program = await registrations(this.wish);
        const { clock, invariants } = this.world;
        const tainted = this.snapshot.states.filter((state) => state.taint).map(({ name }) => name);
        const operation: Operation = {
            kind,
            options,
            wish: this.wish,
            begun: clock.now,
            named: [...(options.replace ?? []), ...tainted],
            expiring: this.expiring(),
            blind: false,
            deletes: new Set(),
        };
        provider().forget();
        const host = new Host(this.world, this.id, operation, faults);
        const engine = new Engine(this.snapshot, verbsOf, host, (text) => invariants.shown(text));
        this.world.running = { engine, host };
        const before = this.disturbed;
        // What is done during a refresh may come too late for it.
        this.disturbed &&= kind !== "refresh";
        const done = await clock.drive(() => perform(engine, program, operation));
        host.faults = [];
        this.world.running = undefined;
        this.settle(done, before);
        this.astray =
            kind === "refresh"
                ? this.astray || this.world.elsewhere
                : this.astray && !(kind === "up" && done.error === undefined);
        invariants.afterwards(this, done);
        return done;
    }

    private expiring(): string | undefined {
        const { id = "", outputs } = this.find("job") ?? {};
        return outputs?.["manifest"].spec.ttlSecondsAfterFinished === undefined ? undefined : id.split("/")[2];
    }

    /** What later is this stack's own, and its secrets. */
    private learn(): void {
        const { nonce, secretKey } = this.find("key")?.outputs ?? {};
        if (nonce !== undefined) {
            this.nonces.add(nonce as string);
            this.secrets.add(secretKey as string);
        }
    }

    // oxlint-disable-next-line complexity -- one rule for each kind of operation
    private settle({ error, operation }: Done, wasDisturbed: boolean): void {
        const { kind, options } = operation;
        const { elsewhere } = this.world;
        const succeeded = error === undefined;
        this.learn();
        if (!succeeded) {
            this.interrupted.push(operation);
        }
        if (kind === "refresh") {
            this.disturbed ||= wasDisturbed && (!succeeded || elsewhere);
            this.settled &&= !wasDisturbed;
            return;
        }
        if (kind !== "preview") {
            this.settled = kind === "up" && succeeded && options.target === undefined;
        }
        if (kind === "destroy" && succeeded && elsewhere) {
            // A destroy in the wrong cluster finds nothing and takes it for gone, as the Kubernetes provider does.
            this.world.removeCluster(this.name);
        }
    }
}

async function perform(engine: Engine, program: readonly Registration[], operation: Operation): Promise<Done> {
    const { kind, options } = operation;
    const work = {
        destroy: () => engine.destroy(),
        preview: () => engine.up(program, { ...options, preview: true }),
        refresh: () => engine.refresh(),
        up: () => engine.up(program, options),
    };
    try {
        await work[kind]();
        return { operation, ops: engine.ops };
    } catch (error) {
        return { operation, ops: engine.ops, error: error as Error };
    }
}

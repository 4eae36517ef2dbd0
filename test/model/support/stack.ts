import type { DynamicType } from "../../../provider/shimText";
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

/** The result of an operation. */
export interface Done {
    readonly operation: Operation;
    /** Undefined after a success. */
    readonly error?: Error;
    /** The steps by resource. */
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

/** A stack, with the wish of its program and its state. */
export class Stack {
    readonly snapshot = new Snapshot();
    /** All nonces that it has had. A Job with one of them belongs to the stack. */
    readonly nonces = new Set<string>();
    /** Other clients have changed something that no refresh has seen. */
    disturbed = false;
    /** The last operation was a successful up, and the wish has not changed since. */
    settled = false;
    /**
     * Failed operations. Objects that they were deleting may still be removed. The engine warns, and only a refresh
     * shows it.
     */
    readonly interrupted: Operation[] = [];
    /** UIDs of Jobs that were removed while they had a TTL in the state. The cause of the removal is unknown. */
    readonly expired = new Set<string>();
    /** Secret values that nothing may show. */
    readonly secrets = new Set<string>();
    /** A refresh has asked another cluster and dropped the Services from the state, so their objects are unknown. */
    astray = false;

    constructor(
        readonly world: World,
        public wish: Wish,
    ) {
        world.stacks.push(this);
    }

    /** Differs between stacks whose clusters have the same name. */
    get id(): string {
        return `stack ${this.world.stacks.indexOf(this) + 1}`;
    }

    /** Name of its cluster. */
    get name(): string {
        return this.wish.name;
    }

    /** The state may differ from the cluster: a message asks for a refresh, or other clients have changed something. */
    get uncertain(): boolean {
        const uid = this.find("job")?.id.split("/")[2] ?? "";
        return this.disturbed || this.interrupted.some(({ deletes }) => deletes.has(uid));
    }

    /** The resource whose name ends with this part. */
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
        // A refresh may miss changes that happen while it runs.
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

    /** Records the nonce and the secret key of the stack. */
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
            // A destroy in the wrong cluster finds nothing and drops it from the state, as the Kubernetes provider
            // does.
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

import { SERVERS, withEnvironment } from "./access";
import { FORGETS } from "./advice";
import { observed, provider, verbsOf } from "./verbCalls";
import { processes } from "./clock";
import type { Cluster } from "./cluster";
import { Engine } from "./engine";
import { type Fault } from "./fault";
import { Host } from "./host";
import type { Operation } from "./operation";
import { Ledger } from "./ledger";
import { type Registration, registrations, twinOf } from "./program";
import { Snapshot, type State, uidOf } from "./snapshot";
import type { UpOptions } from "./steps";
import { kubeNameOf, namesOf, type Wish } from "./wish";
import type { World } from "./world";

/** The result of an operation. */
export interface Done {
    readonly operation: Operation;
    /** Undefined after a success. */
    readonly error?: Error;
    /** The steps by resource. */
    readonly ops: ReadonlyMap<string, string>;
}

/** A MiniCluster of a stack. */
export interface Member {
    /** Name of the resource. */
    readonly name: string;
    /** The Kubernetes cluster that the Kubernetes provider uses for it. */
    readonly home: Cluster;
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
    /** The records of ended work, and the Jobs, that no operation may lose. */
    readonly ledger = new Ledger(this);
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

    /** Name of its MiniCluster before a rename. */
    get name(): string {
        return this.wish.name;
    }

    /** Name of its cluster in Kubernetes. */
    get kubeName(): string {
        return kubeNameOf(this.wish);
    }

    /** The MiniClusters of the program or of the state. */
    get members(): Member[] {
        const { main, second } = this.world;
        const twin = { name: twinOf(this.wish), home: second };
        return [{ name: this.name, home: main }, ...(this.has(twin.name) ? [twin] : [])];
    }

    private has(name: string): boolean {
        return this.find("job", name) !== undefined;
    }

    /** The state may differ from the cluster: a message asks for a refresh, or other clients have changed something. */
    get uncertain(): boolean {
        const uids = this.members.map(({ name }) => uidOf(this.find("job", name)));
        return this.disturbed || this.interrupted.some(({ deletes }) => uids.some((uid) => deletes.has(uid)));
    }

    /** The state has a FluxJob whose end no update awaits. */
    get awaitsFluxJob(): boolean {
        return ["pending", "running", "unknown"].includes(this.find("run-submission")?.outputs["phase"] as string);
    }

    /** The state has credentials that have expired. */
    get expiredAccess(): boolean {
        return this.snapshot.states.some(({ inputs }) =>
            this.world.hasExpired(inputs["kubeconfig"] as string | undefined),
        );
    }

    /** The resource whose name ends with this part, of the first cluster or of this one. */
    find(part: "job" | "key" | "lead" | "run-submission" | "status", name = this.name): State | undefined {
        return this.findNamed(`${name}-${part}`);
    }

    /** The resource of this name, or of its name before or after a rename. */
    findNamed(name: string): State | undefined {
        return namesOf(name)
            .map((of) => this.snapshot.find(of))
            .find((state) => state !== undefined);
    }

    /**
     * True if an error advises to drop a Job that no cluster has any more. A Job of the state, or the cluster of its FluxJob, may
     * exist in another cluster than the one that the error names.
     */
    isLost(message: string): boolean {
        const { main, second } = this.world;
        const clusters = message.includes(`cluster at ${SERVERS.second}`) ? [second] : [main];
        return (
            FORGETS.test(message) && !this.snapshot.states.some((state) => this.world.isLive(jobUidOf(state), clusters))
        );
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

    /** The state has resources that Pulumi refuses to delete. */
    get isProtected(): boolean {
        return this.snapshot.states.some(({ protect }) => protect === true);
    }

    /** `pulumi state unprotect --all`. */
    unprotect(): void {
        this.snapshot.states.forEach((state) => this.snapshot.put({ ...state, protect: undefined }, state));
    }

    /** `pulumi state taint`. */
    taint(name: string): boolean {
        const state = this.findNamed(name);
        if (state === undefined) {
            return false;
        }
        this.snapshot.put({ ...state, taint: true }, state);
        this.settled = false;
        return true;
    }

    private operationOf(kind: Operation["kind"], options: UpOptions): Operation {
        const tainted = this.snapshot.states.filter((state) => state.taint).map(({ name }) => name);
        return {
            kind,
            options,
            wish: this.wish,
            begun: this.world.clock.now,
            elsewhere: this.world.elsewhere,
            namesakes: this.world.namesakes,
            named: [...(options.replace ?? []), ...tainted],
            expiring: this.expiring(),
            before: this.snapshot.states,
            checked: new Set(),
            said: [],
            deletes: new Set(),
        };
    }

    private async operate(kind: Operation["kind"], options: UpOptions, faults: readonly Fault[]): Promise<Done> {
        const program = await registrations(this.wish);
        const { clock, invariants } = this.world;
        const operation = this.operationOf(kind, options);
        // Each operation has a process of its own for the provider.
        provider().forget();
        const host = new Host(this.world, this.id, operation, faults);
        const verbs = (type: string) => observed(type, verbsOf(type), host);
        const engine = new Engine(this.snapshot, verbs, host, (text) => invariants.shown(text));
        this.world.running = { engine, host };
        const before = this.disturbed;
        // A refresh may miss changes that happen while it runs.
        this.disturbed &&= kind !== "refresh";
        const work = () => clock.drive(() => perform(engine, program, operation));
        const done = await withEnvironment(this.world, work);
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

    private expiring(): ReadonlyMap<string, number> {
        const jobs = this.members.map(({ name }) => this.find("job", name)).filter((of) => of !== undefined);
        return new Map(
            jobs.flatMap((job) => {
                const ttl = job.outputs["manifest"].spec.ttlSecondsAfterFinished as number | undefined;
                const created = this.world.createdAt.get(uidOf(job)) ?? 0;
                return ttl === undefined ? [] : [[uidOf(job), created + ttl * 1000] as const];
            }),
        );
    }

    /** `npx flux-minicluster plan` of a destroy says of each job that runs that it ends work. */
    async plan(): Promise<void> {
        const { clock, flux, invariants } = this.world;
        const changes = this.snapshot.states
            .filter(({ outputs, type }) => type === "FluxSubmission" && flux.running(outputs["jobId"]) !== undefined)
            .filter(({ outputs }) => this.world.isLive(outputs["clusterUid"]) && invariants.isHome(outputs["jobId"]))
            .map(({ name, outputs }) => ({ urn: name, operation: "delete", old: outputs }));
        if (changes.length === 0) {
            return;
        }
        provider().forget();
        const host = new Host(this.world, this.id, this.operationOf("preview", {}), []);
        const ask = () => processes.run(host, () => provider().planJobs(changes as never, {}));
        const planned = await withEnvironment(this.world, () => clock.drive(ask));
        this.world.note(`plan: a FluxJob runs${this.world.elsewhere ? ", in another cluster" : ""}`);
        for (const { jobId, kills } of planned) {
            if (!kills) {
                invariants.break("K", `the plan says that nothing ends, but Flux job ${jobId} runs`);
            }
        }
    }

    /** Records the nonces and the secret keys of the stack. */
    private learn(): void {
        for (const { outputs } of this.snapshot.states.filter(({ type }) => type === "CurveKey")) {
            this.nonces.add(outputs["nonce"] as string);
            this.secrets.add(outputs["secretKey"] as string);
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
        if (kind !== "preview" && elsewhere) {
            // A deletion in the wrong cluster finds nothing and drops it from the state, as the Kubernetes provider
            // does.
            const kept = this.snapshot.states
                .filter(({ pendingReplacement }) => !pendingReplacement)
                .map(({ id }) => id);
            const dropped = operation.before.filter(
                ({ id, pendingReplacement }) => !kept.includes(id) && !pendingReplacement,
            );
            this.world.invariants.dropped(dropped, operation);
            this.world.removeObjects(dropped);
        }
    }
}

/** UID of the Job of a state; undefined if it has none. */
function jobUidOf(state: State): string | undefined {
    switch (state.type) {
        case "IndexedJob":
            return uidOf(state);
        case "FluxSubmission":
            return state.outputs["clusterUid"] as string;
        default:
            return undefined;
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

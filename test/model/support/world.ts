import { numberOf, SERVERS, useContext } from "./access";
import { type ApiWorld, forbidden, type Request, unauthorized } from "./apiServer";
import { Clock, processes } from "./clock";
import { Cluster, type Item, type Kind } from "./cluster";
import { type Coverage, type Fault, type FaultKind, LASTING } from "./fault";
import type { Engine } from "./engine";
import { FluxInstances } from "./fluxInstances";
import { Host } from "./host";
import { Invariants } from "./invariants";
import { JobController } from "./jobController";
import type { State } from "./snapshot";
import type { Stack } from "./stack";

const NAMESPACE = "hpc";

export type Decisions = Partial<
    Pick<
        World,
        | "ambient"
        | "commandSeconds"
        | "elsewhere"
        | "forbidden"
        | "jobSeconds"
        | "jobSucceeds"
        | "namesakes"
        | "removal"
        | "succeeds"
        | "webhook"
    >
>;

/** The clusters, the clock, and all actors except the provider. */
export class World implements ApiWorld {
    readonly clock = new Clock();
    private uids = 0;
    private readonly nextUid = () => `${(++this.uids).toString(16).padStart(8, "0")}-uid`;
    readonly main = new Cluster(new Set([NAMESPACE]), this.clock, this.nextUid);
    /** The cluster of a second kubeconfig. */
    readonly second = new Cluster(new Set([NAMESPACE]), this.clock, this.nextUid);
    /** Another cluster, which may answer at the address of the first one. Nothing can be created there. */
    readonly other = new Cluster(new Set(), this.clock, this.nextUid);
    /** Such a cluster, which has clusters of the same names. */
    private readonly namesake = new Cluster(new Set(), this.clock, this.nextUid);
    /** Creation of each Job, in milliseconds since 1970, by its UID. */
    readonly createdAt = new Map<string, number>();
    /** The decisions of the world: durations and outcomes. */
    commandSeconds = 30;
    succeeds = true;
    removal = 2;
    jobSeconds = 5;
    jobSucceeds = true;
    /** An admission webhook that rewrites images. */
    webhook = false;
    elsewhere = false;
    /** That other cluster has clusters of the same names. */
    namesakes = false;
    /** Kind of the objects that the credentials may not read or change. */
    forbidden: Request["kind"] | undefined;
    /** Credentials with a lower number have expired. */
    validFrom = 0;
    /** The environment has a kubeconfig of the first cluster, whose credentials don't expire. */
    ambient = false;
    /** The user allows Pulumi to drop what it can't find, as the errors advise. */
    forgets = false;
    /** In the running operation, the user takes another context of the environment's kubeconfig after so many requests. */
    switchesAfter: number | undefined;
    readonly stacks: Stack[] = [];
    /** The most requests that a call of each verb has made. */
    readonly requests = new Map<string, number>();
    readonly invariants = new Invariants(this);
    readonly flux: FluxInstances;
    readonly jobs: JobController;
    private readonly secondJobs: JobController;
    /** Engine and host of the running operation, which get signals. */
    running: { readonly engine: Engine; readonly host: Host } | undefined;

    constructor(readonly coverage: Coverage) {
        // oxlint-disable-next-line typescript/no-this-alias
        const world = this;
        const decisions = {
            get commandSeconds() {
                return world.commandSeconds;
            },
            get succeeds() {
                return world.succeeds;
            },
            get removal() {
                return world.removal;
            },
            onEnded: world.invariants.commandEnded.bind(world.invariants),
        };
        for (const cluster of [this.main, this.second]) {
            cluster.listen(({ item, kind, type }) => {
                if (kind === "jobs" && type === "ADDED") {
                    this.createdAt.set(item.metadata.uid, this.clock.now);
                }
            });
        }
        this.jobs = new JobController(this.main, decisions);
        this.secondJobs = new JobController(this.second, decisions, this.jobs.outcomes);
        new JobController(this.other, decisions, this.jobs.outcomes);
        this.flux = new FluxInstances({
            clock: this.clock,
            get jobSeconds() {
                return world.jobSeconds;
            },
            get jobSucceeds() {
                return world.jobSucceeds;
            },
            onEnded: world.invariants.fluxJobEnded.bind(world.invariants),
        });
    }

    clusterAt(server: string): Cluster {
        const caller = processes.getStore();
        // A process that a killed CLI has left stays in its context, whichever the next command has.
        const isLeft = caller instanceof Host && caller !== this.running?.host;
        const { elsewhere, namesakes } = isLeft ? caller.operation : this;
        if (elsewhere) {
            return namesakes ? this.namesake : this.other;
        }
        return server === SERVERS.second ? this.second : this.main;
    }

    /** Changes decisions for all that follows. */
    decide(decisions: Decisions): void {
        if (decisions.elsewhere !== undefined || decisions.webhook !== undefined) {
            this.disturb();
        }
        Object.assign(this, decisions);
        if (this.namesakes) {
            this.impersonate();
        }
    }

    /** Gives that other cluster a Job and a Service of another user for each cluster that exists. */
    private impersonate(): void {
        for (const kind of ["jobs", "services"] as const) {
            for (const { metadata, ...rest } of this.main.list(kind, NAMESPACE)) {
                const { name, namespace } = metadata;
                if (this.namesake.get(kind, namespace, name) === undefined) {
                    this.namesake.create(kind, { ...rest, manager: "another", metadata: { name, namespace } });
                }
            }
        }
    }

    /** True if a Job of this UID exists and isn't being deleted. */
    isLive(uid: string | undefined, clusters: readonly Cluster[] = [this.main, this.second]): boolean {
        const jobs = clusters.flatMap((cluster) => cluster.list("jobs", NAMESPACE));
        return jobs.some(({ metadata }) => metadata.uid === uid && metadata.deletionTimestamp === undefined);
    }

    /** True if a command runs in a Job of this UID. */
    isRunning(uid: string): boolean {
        return this.jobs.runsCommand(uid) || this.secondJobs.runsCommand(uid);
    }

    refuse({ kind, method, name, namespace, token = "" }: Request, { operation }: Host): Error | undefined {
        if (numberOf(token) < this.validFrom) {
            this.coverage.note("expired credentials were used");
            return unauthorized();
        }
        if (kind !== this.forbidden) {
            return undefined;
        }
        this.coverage.note(`${kind} forbidden in ${operation.kind}`);
        return forbidden({ kind, method, name, namespace });
    }

    lack(call: string): void {
        this.invariants.break("M", `the model has no ${call}`);
    }

    note(what: string): void {
        this.coverage.note(what);
    }

    say(line: string): void {
        this.running?.host.operation.said.push(line);
        this.invariants.shown(line);
    }

    inspect(request: Request, cluster: Cluster, host: Host | undefined): void {
        if (host !== undefined) {
            const { kind, wish } = host.operation;
            if (wish.ambient === true && cluster === this.second) {
                this.invariants.break(
                    "C",
                    `${host.verb} asks the context that the user took after the beginning of the ${kind}`,
                );
            }
            if (host.verb === "CurveKey.delete" && request.method === "DELETE") {
                this.note("a deleted key took a Service with it that is in no state");
            }
            this.invariants.requested(request, cluster, host);
        }
    }

    admit(kind: Kind, body: any): any {
        if (kind === "jobs" && this.webhook) {
            for (const container of body.spec.template.spec.containers) {
                container.image = `mirror/${container.image.replace(/^mirror\//, "")}`;
            }
        }
        return body;
    }

    takeFault(request: Request, host: Host): Fault | undefined {
        if (this.switchesAfter !== undefined && this.switchesAfter-- <= 0) {
            this.switchesAfter = undefined;
            useContext("second");
            this.coverage.note(`the context changes in ${host.operation.kind}`);
        }
        this.requests.set(host.verb, Math.max(this.requests.get(host.verb) ?? 0, host.request + 1));
        const fault = host.faults.find(
            (of) => of.verb === host.verb && host.request >= of.request && isPossible(of.kind, request),
        );
        if (fault === undefined) {
            return undefined;
        }
        const duration = LASTING[fault.kind];
        if (duration === undefined) {
            host.faults = host.faults.filter((of) => of !== fault);
        } else {
            const begun = host.lasting.get(fault) ?? this.clock.now;
            host.lasting.set(fault, begun);
            if (this.clock.now > begun + duration) {
                return undefined;
            }
        }
        this.coverage.add(fault.verb, fault.kind);
        return fault;
    }

    strike({ kind }: Fault, _request: Request, host: Host): void {
        switch (kind) {
            case "watch cut":
            case "watch expired":
                return processes.run(
                    undefined,
                    () => void this.clock.set(() => this.endWatches(kind === "watch expired"), 50),
                );
            case "other cluster":
                this.elsewhere = true;
                return this.disturb();
            case "SIGINT":
                return this.interrupt(host);
            case "SIGINT twice":
                this.interrupt(host);
                this.running?.engine.kill();
                return host.kill();
            case "kill host":
                return host.kill();
            case "kill CLI":
                this.running?.engine.kill();
                // The host checks every two seconds whether the engine still runs.
                this.clock.set(() => host.cancel("the Pulumi engine has ended"), 2000);
                return;
            default:
                processes.run(undefined, () => this.jobNames().forEach((name) => this.act(kind, name)));
        }
    }

    /** Another client deletes the lead Service, and the garbage collector deletes the Job. */
    deleteService(name: string): void {
        const service = this.main.get("services", NAMESPACE, `${name}-lead`);
        if (service !== undefined) {
            this.main.remove("services", service);
            this.disturb();
        }
    }

    /** A user submits a job to a persistent cluster, if its lead has started. */
    submitJob(name: string): void {
        const lead = this.jobs.startedLead(this.main.get("jobs", NAMESPACE, name));
        if (lead !== undefined) {
            this.flux.submitByHand(lead.metadata.uid);
        }
    }

    /** The user deletes a Job that is in no state. */
    removeJob(name: string): void {
        this.removeByHand("jobs", name);
    }

    /** The user deletes the objects of these states, which a destroy in the wrong cluster has left. */
    removeObjects(states: readonly State[]): void {
        for (const { id, type } of states) {
            if (type === "IndexedJob" || type === "Service") {
                this.removeByHand(type === "Service" ? "services" : "jobs", id.split("/")[1]);
            }
        }
    }

    /** True if the credentials of a kubeconfig have expired. */
    hasExpired(kubeconfig: string | undefined): boolean {
        const token = /"token":"([^"]*)"/.exec(kubeconfig ?? "")?.[1];
        return token !== undefined && numberOf(token) < this.validFrom;
    }

    private removeByHand(kind: Kind, name: string): void {
        for (const cluster of [this.main, this.second]) {
            const item = cluster.get(kind, NAMESPACE, name);
            if (item !== undefined) {
                cluster.remove(kind, item);
                this.disturb();
            }
        }
    }

    /** Causes an event of another client or of the cluster on a Job. Returns false if it had no effect. */
    act(kind: FaultKind, name: string): boolean {
        const job = this.main.get("jobs", NAMESPACE, name);
        if (job === undefined || job.metadata.deletionTimestamp !== undefined) {
            return false;
        }
        switch (kind) {
            case "command ends":
                return this.jobs.endCommand(job, 0);
            case "command fails":
                return this.jobs.endCommand(job, 3);
            case "pod evicted":
                return this.disturbed(() => this.jobs.evict(job, 0));
            case "job deleted":
                return this.disturbed(() => this.main.remove("jobs", job));
            case "job edited":
                return this.disturbed(() =>
                    this.edit(job, {
                        metadata: {
                            ...job.metadata,
                            annotations: { ...job.metadata.annotations, note: "of another client" },
                        },
                    }),
                );
            case "job resized":
                return this.disturbed(() =>
                    this.edit(job, { spec: { ...job["spec"], completions: 6, parallelism: 6 } }),
                );
            default:
                return false;
        }
    }

    private edit(job: Item, change: object): void {
        this.main.update("jobs", job, { ...job, ...change });
    }

    private disturbed(act: () => unknown): boolean {
        const done = act() !== false;
        if (done) {
            this.disturb();
        }
        return done;
    }

    /** Marks all stacks: until its next refresh, a stack can't know the changes of another client. */
    disturb(): void {
        this.stacks.forEach((stack) => (stack.disturbed = true));
    }

    private endWatches(expired: boolean): void {
        if (expired) {
            this.main.forget();
        }
        [...this.main.openWatches].forEach((watch) => watch.end(expired ? 410 : undefined));
    }

    private interrupt(host: Host): void {
        if (this.running?.host === host) {
            this.running.engine.interrupted = true;
        }
        host.cancel("the update was cancelled");
    }

    private jobNames(): string[] {
        return this.main.list("jobs", NAMESPACE).map(({ metadata }) => metadata.name);
    }

    /** Ends all faults, and lets everything that runs finish. */
    async heal(): Promise<void> {
        Object.assign(this, {
            elsewhere: false,
            namesakes: false,
            forbidden: undefined,
            webhook: false,
            succeeds: true,
            jobSucceeds: true,
            removal: 2,
            commandSeconds: 20,
            jobSeconds: 5,
        });
        for (const stack of this.stacks) {
            const { fluxJob, suspend } = stack.wish;
            // A suspended cluster takes no jobs.
            const awake = { suspend: suspend && fluxJob === undefined };
            stack.wish = {
                ...stack.wish,
                ...awake,
                astray: false,
                token: Math.max(stack.wish.token ?? 0, this.validFrom),
            };
        }
        await this.clock.pass(3_600_000);
    }
}

function isPossible(kind: FaultKind, { method, kind: of }: Request): boolean {
    switch (kind) {
        case "watch cut":
        case "watch expired":
            return method === "WATCH";
        case "conflict":
            return ["PATCH", "POST", "DELETE"].includes(method) && of !== "exec";
        default:
            return true;
    }
}

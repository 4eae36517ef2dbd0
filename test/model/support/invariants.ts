import { ANNOTATIONS } from "../../../provider/contract/labels";
import type { Request } from "./apiServer";
import type { Cluster, Item, Kind } from "./cluster";
import type { Host } from "./host";
import { TOKEN } from "./access";
import type { FluxJobEnded } from "./fluxInstances";
import type { Ended } from "./jobController";
import { notesOf, refusalsOf } from "./notes";
import { mayEndCommand, mayEndFluxJob } from "./permission";
import { type State, uidOf } from "./snapshot";
import type { Done, Member, Stack } from "./stack";
import { kubeNameOf, type Wish } from "./wish";
import type { World } from "./world";

const NAMESPACE = "hpc";

/** A violation of the invariant with this name. */
export class Violation extends Error {
    constructor(
        readonly invariant: string,
        message: string,
    ) {
        super(`${invariant}: ${message}`);
    }
}

/**
 * The invariants, which hold in every history:
 *
 * I1  at most one live Job of one nonce
 * I2  after a successful up the Job of the state exists in the cluster and matches the arguments
 * I3  no object of another client is changed or deleted
 * I4  after a successful destroy nothing is left
 * I5  no operation but a destroy ends a running command, or a running FluxJob, unless `interrupt` allows it
 * I6  an up after any interruption converges within two tries (checked at the end of each history)
 * I7  a preview after a refresh shows no changes
 * I8  no error, log line or plain output has a secret
 * I9  a FluxJob is submitted at most once for each ticket
 * D   a destroy without faults succeeds, and says so if it has found nothing of a running cluster
 * O   no operation drops a Job that exists, or a FluxJob that runs, from the state, unless the user allows it
 * K   a plan says of each FluxJob that runs that its deletion ends work
 * R   no operation loses the result of ended work, or replaces a Job by the same one, for no reason (`ledger.ts`)
 * M   a verb makes no call that the model lacks
 * P   a preview or a refresh changes nothing in the cluster
 * F   an existing Job has its ConfigMap and its Secret
 */
export class Invariants {
    private broken: Violation | undefined;
    /** States whose plain outputs were checked for secrets. A state object never changes. */
    private readonly clean = new WeakSet<State>();

    /** Contents of the objects that the pods of Jobs mount, by the Job's UID. */
    private readonly mounted = new Map<string, string>();

    constructor(private readonly world: World) {}

    /** Throws the first violation. */
    require(): void {
        if (this.broken !== undefined) {
            throw this.broken;
        }
    }

    break(invariant: string, message: string): void {
        this.broken ??= new Violation(invariant, message);
    }

    /** I8 for a text of the CLI, an Event or a log. */
    shown(text: string): void {
        const secrets = [TOKEN, ...this.world.stacks.flatMap((stack) => [...stack.secrets])];
        if (secrets.some((secret) => text.includes(secret))) {
            this.break("I8", `a secret is shown: ${text}`);
        }
    }

    /** Checks a request of the provider before its effect. */
    requested(request: Request, cluster: Cluster, { operation, stack: owner, verb }: Host): void {
        const { body, kind, method, name } = request;
        if (["GET", "WATCH"].includes(method) || kind === "exec") {
            return;
        }
        if (kind === "events") {
            this.shown(JSON.stringify(body));
            return;
        }
        if (operation.kind === "preview" || operation.kind === "refresh") {
            this.break("P", `${verb} sends ${method} ${name} during a ${operation.kind}`);
        }
        const stack = this.world.stacks.find((of) => of.id === owner)!;
        if (method === "POST") {
            stack.nonces.add(nonceOf(body as Item) ?? "");
            return;
        }
        const live = targetOf(request, cluster);
        if (live !== undefined) {
            this.changes(live, method, body, { operation, stack, verb });
        }
    }

    /** I3: the object of a request must belong to the stack. */
    private changes(
        live: Item,
        method: string,
        body: any,
        { operation, stack, verb }: { operation: Host["operation"]; stack: Stack; verb: string },
    ): void {
        if (!stack.nonces.has(nonceOf(live) ?? "another")) {
            this.break(
                "I3",
                `${verb} sends ${method} for ${live.kind} ${live.metadata.name}, which does not belong to this stack`,
            );
        }
        if (method === "DELETE") {
            operation.deletes.add(live.metadata.uid);
            this.jobsEndWith(live, operation);
            this.podsEnd(live, operation, verb);
        } else if (method === "PATCH" && live.kind === "Job") {
            this.patches(live, body.spec ?? {}, { operation, verb });
        }
    }

    private patches(live: Item, spec: any, { operation, verb }: Pick<Host, "operation" | "verb">): void {
        if (spec.suspend === true) {
            this.podsEnd(live, operation, verb);
        }
        const { parallelism } = live.spec;
        const isResized = spec.parallelism !== undefined && spec.parallelism !== parallelism;
        if (isResized && operation.wish.elastic) {
            this.break(
                "I3",
                `${verb} changes the size from ${parallelism} to ${spec.parallelism} despite ignoreChanges`,
            );
        }
    }

    /** I5 when a command ends. */
    commandEnded({ by, how, job, since, verb, verbBegun }: Ended): void {
        if (by === undefined) {
            return;
        }
        const { uid } = job.metadata;
        const isKnown = by.operation.before.some((state) => uidOf(state) === uid);
        if (since >= verbBegun && verb.startsWith("Service.")) {
            this.world.note("a command started while its Service was deleted");
        } else if (mayEndCommand(by.operation, nonceOf(job), uid)) {
            this.world.note("a running command was ended with permission");
        } else if (verb.startsWith("Service.") && !isKnown) {
            // The provider is not asked: the Job of an interrupted create is in no state.
            this.world.note("a Service took a Job with it that is in no state");
        } else {
            this.break("I5", `${verb} ends the running command of ${job.metadata.name}: ${how}`);
        }
    }

    /** I5 when a call ends a FluxJob. */
    fluxJobEnded({ by, how, id, key, since }: FluxJobEnded): void {
        if (by === undefined || since >= by.verbBegun) {
            return;
        }
        if (mayEndFluxJob(by.operation, id, key)) {
            this.world.note("a running FluxJob was ended with permission");
        } else {
            this.break("I5", `${by.verb} ends the running FluxJob ${id}: ${how}`);
        }
    }

    /** I5 for the FluxJobs in the state that end with their cluster. */
    private jobsEndWith({ kind, metadata }: Item, operation: Host["operation"]): void {
        const states = operation.before.filter(
            ({ outputs, type }) => type === "FluxSubmission" && outputs["clusterUid"] === metadata.uid,
        );
        for (const { outputs } of kind === "Job" ? states : []) {
            const job = this.world.flux.running(outputs["jobId"] as string);
            const by = this.world.running?.host;
            if (job !== undefined && this.isHome(job.id)) {
                this.fluxJobEnded({ ...job, how: "its cluster was deleted", since: job.startAt, by });
            }
        }
    }

    /** I5 for all jobs of a persistent cluster whose pods end, also for those that no FluxJob has submitted. */
    private podsEnd(job: Item, operation: Host["operation"], verb: string): void {
        const { uid } = job.metadata;
        const isOwn = ({ metadata }: Item) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
        const running = [this.world.main, this.world.second]
            .flatMap((cluster) => cluster.list("pods", NAMESPACE, isOwn))
            .flatMap(({ metadata }) => this.world.flux.runningAt(metadata.uid))
            .filter(({ startAt }) => startAt < (this.world.running?.host.verbBegun ?? 0));
        if (running.length > 0 && mayEndCommand(operation, nonceOf(job), uid)) {
            this.world.note("a persistent cluster was ended with permission, with running jobs");
        } else if (running.length > 0) {
            this.break("I5", `${verb} ends the running job ${running[0].id} of ${job.metadata.name}`);
        }
    }

    /** True if the pod to whose broker a job was submitted exists. */
    isHome(id: string): boolean {
        const home = this.world.flux.homes.get(id);
        return this.world.main.list("pods", NAMESPACE, ({ metadata }) => metadata.uid === home).length > 0;
    }

    /** D: who drops the Job of another cluster from the state says so. */
    dropped(states: readonly State[], { elsewhere, said }: Host["operation"]): void {
        const { main, second } = this.world;
        const live = [main, second].flatMap((cluster) => cluster.list("jobs", NAMESPACE).filter(isLive));
        const lost = states.filter((state) => live.some(({ metadata }) => metadata.uid === uidOf(state)));
        if (elsewhere && lost.length > 0 && !said.some((line) => line.includes("it is in another cluster"))) {
            this.break("D", `${lost[0].name} is dropped from the state without a word, in another cluster`);
        }
    }

    /** Checks the invariants after an operation. */
    afterwards(stack: Stack, done: Done): void {
        if (done.error !== undefined) {
            this.shown(done.error.message);
        }
        const { main, second } = this.world;
        const live = [main, second].flatMap((cluster) =>
            cluster.list("jobs", NAMESPACE).map(({ metadata }) => metadata.uid),
        );
        for (const [uid, earliest] of done.operation.expiring) {
            if (!live.includes(uid) && this.world.clock.now >= earliest) {
                stack.expired.add(uid);
            }
        }
        this.nothingDropped(stack, done.operation);
        stack.ledger.audit(done);
        this.tally(stack, done);
        this.plainOutputs(stack);
        this.oneJob();
        this.filesAreThere();
        if (done.error === undefined && !this.world.elsewhere) {
            this.succeeded(stack, done);
        }
    }

    /** O for the states before an operation. */
    private nothingDropped(stack: Stack, { before, kind }: Done["operation"]): void {
        const kept = new Set(stack.snapshot.states.map(({ id }) => id));
        for (const state of this.world.forgets ? [] : before.filter(({ id }) => !kept.has(id))) {
            const { id, outputs, type } = state;
            const jobId = outputs["jobId"] as string;
            const runs =
                type === "FluxSubmission" && this.world.flux.running(jobId) !== undefined && this.isHome(jobId);
            const exists = type === "IndexedJob" && outputs["finished"] !== true && this.world.isLive(uidOf(state));
            if (runs || exists) {
                this.break("O", `${kind} drops ${type} ${id} from the state, which still ${runs ? "runs" : "exists"}`);
            }
        }
    }

    /** Counts what the operation was about. */
    private tally({ wish }: Stack, { error, operation }: Done): void {
        const { before, kind } = operation;
        const runs = before.some((state) => state.type === "IndexedJob" && this.world.isRunning(uidOf(state)));
        if (error !== undefined) {
            refusalsOf(error, operation).forEach((what) => this.world.note(`${kind}: refused, because ${what}`));
        } else if (kind === "up") {
            notesOf(wish, before, runs).forEach((what) => this.world.note(`up: ${what}`));
        }
        if (kind === "up" && wish.absent === true && runs) {
            this.world.note("up: the program has no cluster, and its command still runs");
        }
    }

    private succeeded(stack: Stack, { operation: { kind, options } }: Done): void {
        if (kind === "destroy") {
            this.nothingLeft(stack);
        } else if (kind === "up" && options.target === undefined && !stack.uncertain) {
            if (stack.wish.absent !== true) {
                stack.members.forEach((member) => this.stateHolds(stack, member));
            }
            this.fluxJobHolds(stack);
        }
    }

    private plainOutputs(stack: Stack): void {
        for (const state of stack.snapshot.states.filter((of) => !this.clean.has(of))) {
            const { name, outputs, secretNames } = state;
            const plain = JSON.stringify(Object.entries(outputs).filter(([key]) => !secretNames.includes(key)));
            if ([TOKEN, ...stack.secrets].some((secret) => plain.includes(secret))) {
                this.break("I8", `a plain output of ${name} has a secret`);
            }
            this.clean.add(state);
        }
    }

    private oneJob(): void {
        const { main, other, second } = this.world;
        const nonces = [main, second, other]
            // A Job whose Service was replaced before the Job got into the state goes with that Service, in seconds.
            .flatMap((cluster) => cluster.list("jobs", NAMESPACE).filter((job) => !isOrphan(job, cluster)))
            .filter(isLive)
            .map(nonceOf);
        const twice = nonces.find((nonce, at) => nonce !== undefined && nonces.indexOf(nonce) !== at);
        if (twice !== undefined) {
            this.break("I1", `two live Jobs have the nonce ${twice}`);
        }
    }

    /** F, for the Jobs whose lead Service exists. */
    private filesAreThere(): void {
        const { main, second } = this.world;
        [main, second].forEach((cluster) => this.filesAreIn(cluster));
    }

    private filesAreIn(cluster: Cluster): void {
        for (const { metadata, spec } of cluster
            .list("jobs", NAMESPACE)
            .filter((job) => isLive(job) && !isForsaken(job, cluster))) {
            const missing = mountedBy(spec.template.spec).find(
                ([kind, name]) => cluster.get(kind, NAMESPACE, name) === undefined,
            );
            if (missing !== undefined) {
                this.break("F", `Job ${metadata.name} has lost a mounted object: ${missing.join(" ")}`);
                return;
            }
            const content = JSON.stringify(
                mountedBy(spec.template.spec).map(([kind, name]) => cluster.get(kind, NAMESPACE, name)?.["data"]),
            );
            if ((this.mounted.get(metadata.uid) ?? content) !== content) {
                this.break("F", `the mounted content of Job ${metadata.name} has changed`);
            }
            this.mounted.set(metadata.uid, content);
        }
    }

    private nothingLeft(stack: Stack): void {
        const { main, second } = this.world;
        [main, second].forEach((cluster) => this.noServiceLeftIn(cluster, stack));
        if (!stack.astray) {
            [main, second].forEach((cluster) => this.nothingLeftIn(cluster, stack));
        }
    }

    private noServiceLeftIn(cluster: Cluster, stack: Stack): void {
        const left = cluster.list("services", NAMESPACE).find((of) => stack.nonces.has(nonceOf(of) ?? "another"));
        if (left !== undefined) {
            this.break("I4", `Service ${left.metadata.name} is left after a successful destroy`);
        }
    }

    private nothingLeftIn(cluster: Cluster, stack: Stack): void {
        const owned = cluster
            .list("jobs", NAMESPACE)
            .filter((job) => stack.nonces.has(nonceOf(job) ?? "another") && isLive(job));
        // The objects of an interrupted create are removed with their Service.
        const left = owned.find((job) => !isForsaken(job, cluster));
        if (left !== undefined) {
            this.break("I4", `Job ${left.metadata.name} is left after a successful destroy`);
        }
        for (const kind of MOUNTED) {
            const kept = cluster
                .list(kind, NAMESPACE)
                .find(({ metadata }) => (metadata.ownerReferences ?? []).length === 0);
            if (kept !== undefined) {
                this.break("I4", `${kind} ${kept.metadata.name} has no owner and is left after a successful destroy`);
            }
        }
    }

    private stateHolds(stack: Stack, { home, name }: Member): void {
        const { wish } = stack;
        const uid = uidOf(stack.find("job", name));
        const live = home.get("jobs", NAMESPACE, kubeNameOf(wish));
        const there = live?.metadata.uid === uid && isLive(live);
        const outcome = this.world.jobs.outcomes.get(uid);
        // A finished Job may be removed by its TTL.
        const mayGo = outcome !== undefined || stack.expired.has(uid);
        this.require2(
            there || mayGo,
            `the Job of the state (${uid}) does not exist; the cluster has ${live?.metadata.uid}`,
        );
        if (there) {
            this.jobMatches(live, wish, outcome);
        }
    }

    private jobMatches(live: Item, wish: Wish, outcome: string | undefined): void {
        const reached = !waitsForCommand(wish) || outcome === "succeeded";
        this.require2(
            reached,
            `an up that waits for the command succeeded, but the command has ${outcome ?? "not ended"}`,
        );
        const wrong = outcome === undefined ? differences(live, wish) : "";
        this.require2(wrong === "", `the Job differs from the arguments: ${wrong}`);
    }

    private require2(holds: boolean, message: string): void {
        if (!holds) {
            this.break("I2", message);
        }
    }

    /** I2 and I9 for a FluxJob: the job of the state is in the queue that accepted it, if the queue still exists. */
    private fluxJobHolds(stack: Stack): void {
        const state = stack.find("run-submission");
        const id = state?.outputs["jobId"] as string;
        const home = this.world.flux.homes.get(id);
        const removing = stack.interrupted.some(({ deletes }) => deletes.has(id));
        if (
            state !== undefined &&
            this.isHome(id) &&
            !removing &&
            !this.world.flux.knows(home!, id, state.inputs["nonce"] as string)
        ) {
            this.break(
                "I9",
                `the Flux job ${id} of the state is not in the queue: it was removed, or the next up submits it again`,
            );
        }
    }
}

/** The kinds of objects that pods mount. */
const MOUNTED = ["configmaps", "secrets"] as const;

interface PodSpec {
    readonly volumes: readonly {
        readonly configMap?: { readonly name: string };
        readonly secret?: { readonly secretName: string };
    }[];
}

function mountedBy({ volumes }: PodSpec): [kind: Kind, name: string][] {
    // The user's own ConfigMap is the user's affair.
    const configMaps = volumes.flatMap(({ configMap }) => configMap?.name ?? []).filter((name) => name !== "settings");
    const secrets = volumes.flatMap(({ secret }) => secret?.secretName ?? []);
    return [
        ...configMaps.map((name): [Kind, string] => ["configmaps", name]),
        ...secrets.map((name): [Kind, string] => ["secrets", name]),
    ];
}

/** The live object of a patch or a deletion, by its UID. */
function targetOf({ body, kind, name, namespace }: Request, cluster: Cluster): Item | undefined {
    const isMounted = MOUNTED.some((of) => of === kind);
    const live =
        isMounted || kind === "jobs" || kind === "services" ? cluster.get(kind as Kind, namespace, name!) : undefined;
    return live !== undefined && concerns(body, live) && !(isMounted && isForsaken(live, cluster)) ? live : undefined;
}

/** Whether an object has lost its Service. The garbage collector will remove the object, so any stack may delete it. */
function isForsaken({ metadata }: Item, cluster: Cluster): boolean {
    const services = cluster.list("services", NAMESPACE).map((service) => service.metadata.uid);
    const owners: readonly { uid: string }[] = metadata.ownerReferences ?? [];
    return !owners.some(({ uid }) => services.includes(uid));
}

/** Whether an object has an owner, which does not exist any more. */
function isOrphan(object: Item, cluster: Cluster): boolean {
    return (object.metadata.ownerReferences ?? []).length > 0 && isForsaken(object, cluster);
}

/** Whether a patch or a deletion has this object's UID or no UID. */
function concerns(body: any, { metadata }: Item): boolean {
    const uid = body?.preconditions?.uid ?? body?.metadata?.uid;
    return uid === undefined || uid === metadata.uid;
}

function waitsForCommand({ command, suspend, waitFor }: Wish): boolean {
    return command !== undefined && !suspend && waitFor === undefined;
}

function differences(live: Item, wish: Wish): string {
    const { spec } = live;
    const compared: [string, unknown, unknown][] = [
        ["size", wish.elastic ? wish.size : spec.parallelism, wish.size],
        ["image", spec.template.spec.containers[0].image.replace(/^mirror\//, ""), wish.image],
        // An annotation that the program does not set may belong to another client.
        ["annotation", wish.annotation && live.metadata.annotations?.["note"], wish.annotation],
        ["activeDeadlineSeconds", spec.activeDeadlineSeconds, wish.deadline],
        ["ttlSecondsAfterFinished", spec.ttlSecondsAfterFinished, wish.ttl],
        ["suspend", spec.suspend ?? false, wish.suspend],
    ];
    return compared
        .filter(([, is, wanted]) => is !== wanted)
        .map(([name, is, wanted]) => `${name} is ${is} and not ${wanted}`)
        .join(", ");
}

function nonceOf({ metadata }: Item): string | undefined {
    return metadata.annotations?.[ANNOTATIONS.nonce];
}

function isLive({ metadata }: Item): boolean {
    return metadata.deletionTimestamp === undefined;
}

import type { Request } from "./apiServer";
import type { Cluster, Item } from "./cluster";
import type { Host } from "./host";
import type { Ended } from "./jobController";
import { ANNOTATIONS } from "../../../components/names";
import { TOKEN } from "./program";
import type { State } from "./snapshot";
import type { Done, Stack } from "./stack";
import type { Wish } from "./wish";
import type { World } from "./world";

const NAMESPACE = "hpc";

/** A broken invariant; the name says which. */
export class Violation extends Error {
    constructor(readonly invariant: string, message: string) {
        super(`${invariant}: ${message}`);
    }
}

/**
 * What always holds, whatever happens:
 *
 * I1  at most one live Job of one nonce
 * I2  after a successful up the Job of the state exists, is the one in the cluster, and matches the arguments
 * I3  nothing of anybody else is changed or deleted
 * I4  after a successful destroy nothing is left
 * I5  a running command is never ended unless `interrupt` allows it or the user named the resource
 * I6  an up after any interruption converges within two tries (checked at the end of each history)
 * I7  refresh, then preview, shows no change
 * I8  no secret in an error, a log line or a plain output
 * I9  a FluxJob is submitted at most once for each ticket
 *
 * and a preview or a refresh changes nothing in the cluster (P).
 */
export class Invariants {
    private broken: Violation | undefined;
    /** States, which never change, whose plain outputs hold no secret. */
    private readonly clean = new WeakSet<State>();

    constructor(private readonly world: World) {}

    /** Throws what was broken first. */
    require(): void {
        if (this.broken !== undefined) {
            throw this.broken;
        }
    }

    break(invariant: string, message: string): void {
        this.broken ??= new Violation(invariant, message);
    }

    /** I8: what the CLI, an Event or a log shows. */
    shown(text: string): void {
        const secrets = [TOKEN, ...this.world.stacks.flatMap((stack) => [...stack.secrets])];
        if (secrets.some((secret) => text.includes(secret))) {
            this.break("I8", `a secret is shown: ${text}`);
        }
    }

    /** Before a request of the provider is done. */
    requested({ body, kind, method, name, namespace }: Request, cluster: Cluster, { operation, stack: owner, verb }: Host): void {
        if (["GET", "WATCH"].includes(method) || kind === "exec") {
            return;
        }
        if (kind === "events") {
            this.shown(JSON.stringify(body));
            return;
        }
        if (operation.kind === "preview" || operation.kind === "refresh") {
            this.break("P", `${verb} of a ${operation.kind} sends ${method} ${name}`);
        }
        const stack = this.world.stacks.find((of) => of.id === owner)!;
        const live = cluster.get("jobs", namespace, name!);
        if (method === "POST") {
            stack.nonces.add(nonceOf(body as Item) ?? "");
        } else if (live !== undefined && concerns(body, live)) {
            this.changes(live, method, body, { operation, stack, verb });
        }
    }

    /** I3: whose is it? */
    private changes(live: Item, method: string, body: any, { operation, stack, verb }: { operation: Host["operation"]; stack: Stack; verb: string }): void {
        if (!stack.nonces.has(nonceOf(live) ?? "another")) {
            this.break("I3", `${verb} sends ${method} for a Job that isn't of this stack`);
        }
        if (method === "DELETE") {
            operation.deletes.add(live.metadata.uid);
        }
        const resized = method === "PATCH" && body.spec?.parallelism !== undefined && body.spec.parallelism !== live.spec.parallelism;
        if (resized && operation.wish.elastic) {
            this.break("I3", `${verb} resizes from ${live.spec.parallelism} to ${body.spec.parallelism} what is left to others by ignoreChanges`);
        }
    }

    /** I5. */
    commandEnded({ by, how, job, since }: Ended): void {
        if (by === undefined) {
            return;
        }
        const { blind, begun, kind, named, wish } = by.operation;
        const allowed = kind === "destroy" || wish.interrupt === "allow" || named.includes(`${wish.name}-job`);
        if (!allowed && !blind && since < begun) {
            this.break("I5", `${by.verb} ends the running command of ${job.metadata.name}: ${how}`);
        }
    }

    /** After an operation. */
    afterwards(stack: Stack, done: Done): void {
        if (done.error !== undefined) {
            this.shown(done.error.message);
        }
        const { expiring } = done.operation;
        if (expiring !== undefined && this.world.main.get("jobs", NAMESPACE, stack.name)?.metadata.uid !== expiring) {
            stack.expired.add(expiring);
        }
        this.plainOutputs(stack);
        this.oneJob();
        if (done.error === undefined && !this.world.elsewhere) {
            this.succeeded(stack, done);
        }
    }

    private succeeded(stack: Stack, { operation: { kind, options } }: Done): void {
        if (kind === "destroy") {
            this.nothingLeft(stack);
        } else if (kind === "up" && options.target === undefined && !stack.uncertain) {
            this.stateHolds(stack);
            this.fluxJobHolds(stack);
        }
    }

    private plainOutputs(stack: Stack): void {
        for (const state of stack.snapshot.states.filter((of) => !this.clean.has(of))) {
            const { name, outputs, secretNames } = state;
            const plain = JSON.stringify(Object.entries(outputs).filter(([key]) => !secretNames.includes(key)));
            if ([TOKEN, ...stack.secrets].some((secret) => plain.includes(secret))) {
                this.break("I8", `a plain output of ${name} holds a secret`);
            }
            this.clean.add(state);
        }
    }

    private oneJob(): void {
        const { main, other } = this.world;
        const nonces = [main, other].flatMap((cluster) => cluster.list("jobs", NAMESPACE)).filter(isLive).map(nonceOf);
        const twice = nonces.find((nonce, at) => nonce !== undefined && nonces.indexOf(nonce) !== at);
        if (twice !== undefined) {
            this.break("I1", `there are two live Jobs of nonce ${twice}`);
        }
    }

    private nothingLeft(stack: Stack): void {
        const { main } = this.world;
        const owned = main.list("jobs", NAMESPACE).filter((job) => stack.nonces.has(nonceOf(job) ?? "another") && isLive(job));
        // What an interrupted create made goes with its Service.
        const left = owned.find(({ metadata }) => main.get("services", NAMESPACE, `${metadata.name}-lead`) !== undefined);
        if (left !== undefined) {
            this.break("I4", `Job ${left.metadata.name} is left after a successful destroy`);
        }
    }

    private stateHolds(stack: Stack): void {
        const { wish } = stack;
        const uid = stack.find("job")?.id.split("/")[2] ?? "";
        const live = this.world.main.get("jobs", NAMESPACE, stack.name);
        const there = live?.metadata.uid === uid && isLive(live);
        const outcome = this.world.jobs.outcomes.get(uid);
        // A Job that has ended may go.
        const mayGo = outcome !== undefined || stack.expired.has(uid);
        this.require2(there || mayGo, `the Job of the state (${uid}) isn't there (${live?.metadata.uid})`);
        if (there) {
            this.jobMatches(live, wish, outcome);
        }
    }

    private jobMatches(live: Item, wish: Wish, outcome: string | undefined): void {
        const reached = !waitsForCommand(wish) || outcome === "succeeded";
        this.require2(reached, `an up that waits for the command succeeds, and the command has not (${outcome ?? "it has not ended"})`);
        const wrong = outcome === undefined ? differences(live, wish) : "";
        this.require2(wrong === "", `the Job isn't what the arguments say: ${wrong}`);
    }

    private require2(holds: boolean, message: string): void {
        if (!holds) {
            this.break("I2", message);
        }
    }

    /** I2 and I9 for a FluxJob: what the state says was submitted is in the queue that took it, while that lives. */
    private fluxJobHolds(stack: Stack): void {
        const state = stack.find("run-submission");
        const id = state?.outputs["jobId"] as string;
        const home = this.world.flux.homes.get(id);
        const lives = this.world.main.list("pods", NAMESPACE, ({ metadata }) => metadata.uid === home).length > 0;
        const removing = stack.interrupted.some(({ deletes }) => deletes.has(id));
        if (state !== undefined && lives && !removing && !this.world.flux.knows(home!, id, state.inputs["nonce"] as string)) {
            this.break("I9", `the Flux job ${id} of the state is not in the queue: it was removed, or will be submitted again`);
        }
    }
}

/** Whether a patch or a deletion means this object, by its UID. */
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
        // What the program doesn't set may be another client's.
        ["annotation", wish.annotation && live.metadata.annotations?.["note"], wish.annotation],
        ["deadlineSeconds", spec.activeDeadlineSeconds, wish.deadline],
        ["ttlSecondsAfterFinished", spec.ttlSecondsAfterFinished, wish.ttl],
        ["suspend", spec.suspend ?? false, wish.suspend],
    ];
    return compared.filter(([, is, wanted]) => is !== wanted).map(([name, is, wanted]) => `${name} is ${is} and not ${wanted}`).join(", ");
}

function nonceOf({ metadata }: Item): string | undefined {
    return metadata.annotations?.[ANNOTATIONS.nonce];
}

function isLive({ metadata }: Item): boolean {
    return metadata.deletionTimestamp === undefined;
}

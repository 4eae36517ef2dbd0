import { type State, uidOf } from "./snapshot";
import type { Done, Stack } from "./stack";
import { firstNameOf, namesOf, type Wish } from "./wish";

/** Ended work, or a Job, that no operation may lose. */
interface Entry {
    /** The last state that had it. */
    readonly state: State;
    /** The program when this work was first in the state. */
    readonly wish: Wish;
    /** An operation since then had a reason to do the work again, or to remove it. */
    excused: boolean;
}

/** The parts of a resource's name that lead to its replacement if the user names one of them. */
const CAUSES: Readonly<Record<string, readonly string[]>> = {
    IndexedJob: ["job", "key", "lead"],
    JobStatus: ["job", "key", "lead", "status"],
    FluxSubmission: ["job", "key", "lead", "run-submission", "run-ticket"],
};

/** The inputs of a FluxSubmission that are no content of the job. */
const SETTINGS = [
    "cluster",
    "context",
    "interrupt",
    "kubeconfig",
    "maxBytes",
    "resourceUrn",
    "rerunFailed",
    "secretOutput",
    "timeouts",
    "wait",
];

/** The fields of a Job's spec that Kubernetes can change. */
const MUTABLE = [
    "activeDeadlineSeconds",
    "backoffLimit",
    "completions",
    "parallelism",
    "suspend",
    "ttlSecondsAfterFinished",
];

/** An output that says why it can't be read: a refresh reads it again. */
const UNREAD = /^\(the output of .* can't be read: /;

/** Invariant R: what a stack's state has of ended work and of Jobs, before and after each operation. */
export class Ledger {
    private readonly entries = new Map<string, Entry>();

    constructor(private readonly stack: Stack) {}

    /** Compares the state after an operation with what it had before. */
    audit(done: Done): void {
        for (const [name, entry] of this.entries) {
            const now = this.stack.findNamed(name);
            entry.excused ||= this.isExcused(entry, done, now);
            if (now !== undefined && !now.pendingReplacement && !entry.excused) {
                this.compare(entry, now, done);
            }
        }
        this.renew();
    }

    private renew(): void {
        for (const state of this.stack.snapshot.states) {
            if (!state.delete && !state.pendingReplacement && this.counts(state)) {
                // The record of a Job that is being replaced keeps its excuse until the next Job.
                const name = firstNameOf(state.name);
                const before = this.entries.get(name);
                const excused = before?.excused === true && this.isPending(state);
                const isSame = before !== undefined && workOf(before.state) === workOf(state);
                this.entries.set(name, { state, excused, wish: isSame ? before.wish : this.stack.wish });
            }
        }
    }

    private isPending({ name }: State): boolean {
        return this.stack.find("job", clusterOf(name))?.pendingReplacement === true;
    }

    /** True for a Job, and for a record of work that has ended. */
    private counts({ outputs, type }: State): boolean {
        return (
            type === "IndexedJob" || (type in CAUSES && ["failed", "succeeded"].includes(outputs["phase"] as string))
        );
    }

    private compare({ state }: Entry, now: State, { operation }: Done): void {
        const work = `${state.type} ${workOf(state)}`;
        if (workOf(now) === workOf(state)) {
            // An interrupted replacement has deleted the Job: its phase is another one then, but its result stays.
            const hasPhase = !this.isPending(state);
            const [before, after] = [recordOf(state, hasPhase, now), recordOf(now, hasPhase)];
            if (after !== before) {
                this.fail(`${operation.kind} changes the record of ${work} from ${before} to ${after}`);
            }
        } else if (state.type !== "JobStatus" && contentOf(now) === contentOf(state)) {
            this.fail(`${operation.kind} replaces ${work} by the same content, ${workOf(now)}, for no reason`);
        }
    }

    private fail(message: string): void {
        this.stack.world.invariants.break("R", message);
    }

    private isExcused(entry: Entry, { operation }: Done, now: State | undefined): boolean {
        const { state } = entry;
        const { kind, named, wish } = operation;
        if (kind === "preview") {
            return false;
        }
        const causes = CAUSES[state.type].flatMap((part) => namesOf(`${wish.name}-${part}`));
        const removed = kind === "refresh" ? now === undefined && !this.isThere(state) : !this.isWanted(state);
        // An interrupted replacement has deleted the Job for another content, also if the user then takes that back.
        const begun = now?.pendingReplacement === true && JSON.stringify(wish) !== JSON.stringify(entry.wish);
        return (
            kind === "destroy" ||
            removed ||
            begun ||
            causes.some((name) => named.includes(name)) ||
            this.runsAgain(state, wish)
        );
    }

    /** True if a refresh must find it. */
    private isThere(state: State): boolean {
        const { flux, invariants, isLive } = this.stack.world;
        if (state.type !== "FluxSubmission") {
            return isLive.call(this.stack.world, uidOf({ ...state, id: workOf(state) }));
        }
        const id = state.outputs["jobId"] as string;
        return invariants.isHome(id) && flux.knows(flux.homes.get(id)!, id, state.inputs["nonce"] as string);
    }

    private isWanted({ name, type }: State): boolean {
        const { absent, fluxJob, twin } = this.stack.wish;
        const isTwin = firstNameOf(name).startsWith(`${this.stack.name}-twin-`);
        return absent !== true && !(isTwin && !twin) && (type !== "FluxSubmission" || fluxJob !== undefined);
    }

    /** True if failed work runs again, or if its cluster is not the same any more, which is another entry. */
    private runsAgain(state: State, wish: Done["operation"]["wish"]): boolean {
        const { outputs, type } = state;
        const { jobs } = this.stack.world;
        const job = uidOf(this.stack.find("job", clusterOf(state.name)));
        switch (type) {
            case "IndexedJob":
                return wish.rerunFailed !== false && jobs.outcomes.get(uidOf(state)) === "failed";
            case "FluxSubmission":
                return (
                    job !== outputs["clusterUid"] || (outputs["phase"] === "failed" && wish.jobRerunFailed !== false)
                );
            default:
                // The record belongs to an earlier Job.
                return uidOf({ ...state, id: outputs["job"] as string }) !== job;
        }
    }
}

/** Name of the MiniCluster to which a resource belongs. */
function clusterOf(name: string): string {
    return firstNameOf(name).replace(/-(job|status|run-submission)$/, "");
}

/** What a state records: the Job, or the Flux job. */
function workOf({ id, outputs, type }: State): string {
    return type === "JobStatus" ? (outputs["job"] as string) : id;
}

/** The result of ended work. */
/** What a state records; a later state may have an output that could not be read before. */
function recordOf({ outputs, type }: State, hasPhase: boolean, later?: State): string {
    const { exitCode, phase } = outputs;
    const output = UNREAD.test(String(outputs["output"])) ? (later?.outputs ?? outputs)["output"] : outputs["output"];
    return type === "IndexedJob" ? "" : JSON.stringify([hasPhase ? phase : undefined, exitCode, output]);
}

/** The inputs whose change is a reason to do the work again. */
function contentOf({ inputs, type }: State): string {
    switch (type) {
        case "IndexedJob": {
            const { lead, manifest, nonce, secretVersion, triggers } = inputs;
            const { labels, name, namespace } = manifest.metadata;
            return JSON.stringify([
                lead,
                labels,
                name,
                namespace,
                without(manifest.spec, MUTABLE),
                nonce,
                secretVersion,
                triggers,
            ]);
        }
        case "FluxSubmission":
            return JSON.stringify(without(inputs, SETTINGS));
        default:
            return "";
    }
}

function without(of: object, names: readonly string[]): object {
    return Object.fromEntries(
        Object.entries(of)
            .filter(([name]) => !names.includes(name))
            .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
}

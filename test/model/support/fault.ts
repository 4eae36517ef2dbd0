/** What can go wrong at a request of a verb: in which way the request fails, or who dies, or who else acts, meanwhile. */
export const FAULTS = [
    // The request fails, and had no effect.
    "429",
    "500",
    "reset",
    "timeout",
    "conflict",
    // The request fails, and had its effect.
    "500 after",
    "reset after",
    "timeout after",
    // All requests of the verb from here on fail, for a minute.
    "away",
    // An open watch ends, or can't go on from its version.
    "watch cut",
    "watch expired",
    // Another client acts just before the request.
    "job deleted",
    "job edited",
    "job resized",
    "command ends",
    "command fails",
    "pod evicted",
    "other cluster",
    // The user and the machine.
    "SIGINT",
    "SIGINT twice",
    "kill CLI",
    "kill CLI after",
    "kill host",
    "kill host after",
] as const;

export type FaultKind = (typeof FAULTS)[number];

/** Verbs that make requests of their own, and so can meet every fault. */
export const VERBS = [
    "IndexedJob.check",
    "IndexedJob.create",
    "IndexedJob.read",
    "IndexedJob.update",
    "IndexedJob.delete",
    "JobStatus.create",
    "JobStatus.update",
    "JobStatus.read",
    "FluxSubmission.create",
    "FluxSubmission.read",
    "FluxSubmission.update",
    "FluxSubmission.delete",
] as const;

export type Verb = (typeof VERBS)[number];

/** A fault at the n-th request of a verb; at the number of the last one where the verb makes fewer, so that it is met. */
export interface Fault {
    readonly verb: Verb;
    readonly request: number;
    readonly kind: FaultKind;
}

export function describeFault({ kind, request, verb }: Fault): string {
    return `${kind} at request ${request} of ${verb}`;
}

const WATCHING: readonly string[] = ["IndexedJob.create", "IndexedJob.delete", "JobStatus.create", "JobStatus.update"];
const WRITING: readonly string[] = [...WATCHING, "IndexedJob.update"];

/** Whether a verb makes requests that can meet a fault: only those that watch, or write. */
export function canMeet(verb: string, kind: FaultKind): boolean {
    if (kind.startsWith("watch")) {
        return WATCHING.includes(verb);
    }
    return kind !== "conflict" || WRITING.includes(verb);
}

/** Which pairs of verb and fault have been met, and how often. */
export class Coverage {
    private readonly seen = new Map<string, number>();

    add(verb: string, kind: FaultKind): void {
        const key = `${verb}/${kind}`;
        this.seen.set(key, (this.seen.get(key) ?? 0) + 1);
    }

    missing(): Pick<Fault, "kind" | "verb">[] {
        const all = VERBS.flatMap((verb) => FAULTS.map((kind) => ({ verb, kind })));
        return all.filter(({ kind, verb }) => canMeet(verb, kind) && !this.seen.has(`${verb}/${kind}`));
    }

    table(): string {
        const width = Math.max(...FAULTS.map(({ length }) => length));
        const short = VERBS.map((verb) =>
            verb.replace("IndexedJob", "Job").replace("JobStatus", "Status").replace("FluxSubmission", "Flux"),
        );
        const head = [" ".repeat(width), ...short].join("  ");
        const rows = FAULTS.map((kind) => {
            const cells = VERBS.map((verb, at) =>
                (canMeet(verb, kind) ? String(this.seen.get(`${verb}/${kind}`) ?? 0) : "-").padStart(short[at].length),
            );
            return [kind.padEnd(width), ...cells].join("  ");
        });
        return [head, ...rows].join("\n");
    }
}

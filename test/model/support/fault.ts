/** The faults at a request of a verb: the request fails, another client acts, or a process is interrupted or killed. */
export const FAULTS = [
    // The request fails and has no effect.
    "401",
    "403",
    // A proxy answers in place of the API server.
    "404",
    "429",
    "500",
    "reset",
    "timeout",
    "conflict",
    // The request fails and has its effect.
    "500 after",
    "reset after",
    "timeout after",
    // All further requests of the verb fail: for a minute, or for some tries.
    "away",
    "503 briefly",
    // An open watch ends, or can't continue from its version.
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

/** Milliseconds of the faults that last some time. One is longer than all tries of a call, one is shorter. */
export const LASTING: Partial<Record<FaultKind, number>> = { away: 60_000, "503 briefly": 1000 };

/** Verbs that make requests and so can meet faults. */
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

/** A fault at a request of a verb: at the first one with this number or a higher one that can have the fault. */
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

/** Whether a verb can meet a fault. Only verbs that watch meet "watch ...", only verbs that write meet "conflict". */
export function canMeet(verb: string, kind: FaultKind): boolean {
    if (kind.startsWith("watch")) {
        return WATCHING.includes(verb);
    }
    return kind !== "conflict" || WRITING.includes(verb);
}

/** Counts how often each pair of verb and fault has been met, and other things that happened. */
export class Coverage {
    private readonly seen = new Map<string, number>();
    private readonly notes = new Map<string, number>();

    /** Counts something that happened in a history. */
    note(what: string): void {
        this.notes.set(what, (this.notes.get(what) ?? 0) + 1);
    }

    count(what: string): number {
        return this.notes.get(what) ?? 0;
    }

    /** The counts, with 0 for those that are expected. */
    happenings(expected: readonly string[]): string {
        const names = [...new Set([...expected, ...this.notes.keys()])].sort();
        return names.map((name) => `${String(this.count(name)).padStart(7)}  ${name}`).join("\n");
    }

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

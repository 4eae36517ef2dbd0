import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { ARCHIVES, NOTICED } from "../../e2e/support/archives";
import type { Random } from "../../double/support/random";
import { LiveCluster } from "../../e2e/support/liveCluster";
import type { TestNamespace } from "../../e2e/support/namespace";
import { ArchiveWatch, type Claim } from "./archiveWatch";

/** Milliseconds between a moment in a pod and the moment at which the test learns of it. */
const LATE = 500;

/** The first task of a job notes the job's start and its end, beside the archive. */
const SCRIPT = `name=$1 notes=$2
note() { [ "$FLUX_TASK_RANK" != 0 ] || echo "$name $1 $(date +%s%3N) $(hostname -i)" >>"$notes"; }
note start
sleep "$3"
note end
`;

interface Submitted {
    readonly name: string;
    readonly began: number;
    /** When the submission was answered. Undefined if it was not: then the job may exist, or not. */
    readonly ended?: number;
}

interface Note {
    readonly what: string;
    readonly at: number;
}

/** What has become of the jobs of a cluster. */
export interface Tally {
    readonly submitted: number;
    readonly completed: number;
    readonly failed: number;
    /** Submitted after the last dump before the loss of the lead. */
    readonly lost: number;
    /** Submitted while there was no lead, and not accepted. */
    readonly refused: number;
    /** Started by two leads. */
    readonly twice: number;
}

/** Jobs that run when their lead ends in order are cancelled. */
const isCut = (result: string | undefined): boolean => result === "CANCELED" || result === "FAILED";

/** A cluster with jobs that note their starts and ends, where each job is followed from its submission to its end. */
export class NotedJobs extends LiveCluster {
    readonly archive: ArchiveWatch;
    private readonly submitted: Submitted[] = [];
    private readonly mount: string;

    constructor(
        namespace: TestNamespace,
        name: string,
        private readonly random: Random,
    ) {
        super(namespace, name);
        const folder = `${namespace.name}-${name}`;
        this.mount = `/var/lib/flux-archive/${folder}`;
        this.archive = new ArchiveWatch(join(ARCHIVES, folder));
        writeFileSync(join(this.archive.folder, "job.sh"), SCRIPT);
    }

    /** Submits some jobs. Without a lead there are none. */
    async submit(): Promise<void> {
        const { random } = this;
        for (let count = random.below(4); count > 0; count--) {
            const name = `job-${this.submitted.length}`;
            const [nodes, seconds] = [1 + random.below(3), random.below(9)];
            const script = [`${this.mount}/job.sh`, name, `${this.mount}/notes`, String(seconds)];
            const began = Date.now();
            const done = await this.flux("submit", `-N${nodes}`, `--job-name=${name}`, "sh", ...script).then(
                () => true,
                () => false,
            );
            this.submitted.push({ name, began, ...(done && { ended: Date.now() }) });
        }
    }

    /** The results of the jobs by name; empty for a job that has not ended. */
    async results(): Promise<Map<string, string>> {
        const list = await this.flux("jobs", "-a", "--count=0", "--no-header", "--format={name} {result}");
        const rows = list.split("\n").filter((line) => line.startsWith("job-"));
        return new Map(rows.map((line) => line.split(" ") as [string, string]));
    }

    /** What the jobs have noted, by name. */
    private notes(): Map<string, Note[]> {
        const notes = new Map<string, Note[]>();
        for (const line of this.archive.read("notes").split("\n").filter(Boolean)) {
            const [name = "", what = "", at] = line.split(" ");
            notes.set(name, [...(notes.get(name) ?? []), { what, at: Number(at) }]);
        }
        return notes;
    }

    /** Requires that each job has ended once or is reported, except as docs/nodes.md says. `faults` are the moments of faults. */
    async tally(faults: readonly number[]): Promise<Tally> {
        const [results, notes] = [await this.results(), this.notes()];
        const tally = { submitted: 0, completed: 0, failed: 0, lost: 0, refused: 0, twice: 0 };
        const wrong: string[] = [];
        for (const job of this.submitted) {
            const own = notes.get(job.name) ?? [];
            const starts = own.filter(({ what }) => what === "start").map(({ at }) => at);
            const ends = own.length - starts.length;
            const result = results.get(job.name);
            const problem = this.problem(job, { starts, ends, result }, faults);
            if (problem !== undefined) {
                wrong.push(`${this.name} ${job.name} ${problem}: ${JSON.stringify({ job, own, result })}`);
            }
            tally.submitted++;
            tally.completed += Number(result === "COMPLETED");
            tally.failed += Number(isCut(result));
            tally.lost += Number(result === undefined && job.ended !== undefined);
            tally.refused += Number(result === undefined && job.ended === undefined);
            tally.twice += Number(starts.length > 1);
        }
        if (wrong.length > 0) {
            throw new Error(
                `${wrong.join("\n")}\nclaims: ${JSON.stringify(this.archive.claims)}, faults: ${faults.join()}`,
            );
        }
        return tally;
    }

    private problem(
        job: Submitted,
        { ends, result, starts }: { starts: readonly number[]; ends: number; result: string | undefined },
        faults: readonly number[],
    ): string | undefined {
        const [first = 0] = starts;
        const problems = {
            "is not known, but was archived": result === undefined && !this.mayBeLost(job),
            "has not ended": result === "",
            "has completed without an end": result === "COMPLETED" && ends === 0,
            "has failed without a fault": isCut(result) && !faults.some((at) => at > job.began),
            "has an odd result": !isCut(result) && !["", "COMPLETED", undefined].includes(result),
            "has ended more often than it began": ends > starts.length,
            "has started again": starts.slice(1).some((next) => !this.mayStartAgain(first, next)),
        };
        return Object.entries(problems).find(([, isSo]) => isSo)?.[0];
    }

    /** A lead has restored a dump that began before the answer to the submission. */
    private mayBeLost({ began, ended }: Submitted): boolean {
        const isOlder = ({ at, dumped }: Claim) => at > began && dumped < (ended ?? 0);
        return ended === undefined || this.archive.claims.some(isOlder);
    }

    /** A lead has found the job waiting in its dump, because another one has started it since, or before it noticed the claim. */
    private mayStartAgain(first: number, next: number): boolean {
        return this.archive.claims.some(
            ({ at, dumped }) => at < next + LATE && first > dumped - LATE && first < at + NOTICED * 1000,
        );
    }

    /** Removes the folder of the archive. */
    remove(): void {
        this.archive.remove();
    }
}

import { jobResultsDir } from "../contract/paths";
import { packWanted, unpackWanted, type WantedJobResults } from "../contract/results";
import { resultsScripts, scriptText } from "../contract/scriptText";
import { CALL_TIMEOUT, Calls, ofKnownJob, whyOf } from "../flux/calls";
import type { JobKey } from "../flux/job";
import { UNKNOWN_JOB } from "../flux/protocol";
import { type Told, toldIn } from "./list";

/** Seconds of a call that reads all files, for their checksums. */
const KEEP_TIMEOUT = 3600;

/** A job that has ended. */
export interface EndedJob extends JobKey {
    readonly exitCode: number;
}

/** A job for the command line. */
export interface FoundJob {
    readonly key: JobKey;
    readonly jobName: string;
    /** What an update has last looked for, or else the job's submission. Undefined without results. */
    readonly wanted?: WantedJobResults;
}

interface Jobspec {
    readonly attributes: {
        readonly system?: { readonly job?: { readonly name?: string } };
        readonly user?: { readonly minicluster?: { readonly key?: string; readonly results?: string } };
    };
}

/** Calls of job-results.sh on the lead. */
export class JobResults extends Calls {
    /**
     * Lists the results of a job, and offers them to a client or puts them into a folder of a volume. Undefined if Flux
     * doesn't know the job.
     */
    async keep(job: EndedJob, wanted: WantedJobResults, place = ""): Promise<Told | undefined> {
        const done = await this.call(keepCall(job, wanted, place), KEEP_TIMEOUT);
        const told = toldIn(done.stderr);
        if (told === undefined && done.exitCode !== UNKNOWN_JOB) {
            throw new Error(`the results of job ${job.jobId} can't be listed: ${whyOf(done)}`);
        }
        return told;
    }

    /** A job by its id in any form. Undefined if Flux doesn't know it. */
    async find(jobId: string): Promise<FoundJob | undefined> {
        const done = await this.call(
            commandOf("describe", jobId, jobResultsDir({ nonce: "*", jobId: "" })),
            CALL_TIMEOUT,
        );
        const text = ofKnownJob(done, `job ${jobId} can't be read`);
        if (text === undefined) {
            return undefined;
        }
        const [id, noted, ...jobspec] = text.split("\n");
        const { system, user } = (JSON.parse(jobspec.join("\n")) as Jobspec).attributes;
        const { key: nonce = "", results } = user?.minicluster ?? {};
        const wanted = noted || results;
        return {
            key: { jobId: id, nonce },
            jobName: system?.job?.name ?? id,
            wanted: wanted ? unpackWanted(wanted) : undefined,
        };
    }

    /** Removes what a job has left on all ranks, which goes on after the call. */
    async drop(key: JobKey): Promise<void> {
        await this.call(commandOf("drop", jobResultsDir(key)), CALL_TIMEOUT);
    }
}

/** The command that keeps results. */
export function keepCall({ exitCode, ...key }: EndedJob, wanted: WantedJobResults, place: string): string[] {
    const folder = jobResultsDir(key);
    const variables = {
        MINICLUSTER_RESULTS: wanted.paths.join("\n"),
        MINICLUSTER_RESULTS_HOME: `${folder}/results`,
        MINICLUSTER_RESULTS_PLACE: place,
        MINICLUSTER_RESULTS_RANKS: wanted.ofAllRanks ? "all" : "",
    };
    const work = wanted.inFolder ? `${folder}/work` : "";
    const words = commandOf("keep", key.jobId, String(exitCode), work, packWanted(wanted));
    return ["env", ...Object.entries(variables).map((pair) => pair.join("=")), ...words];
}

/** A command of job-results.sh. */
export function commandOf(...words: readonly string[]): string[] {
    const texts = [
        ...Object.values(resultsScripts("list", "put", "told", "part")),
        scriptText(__dirname, "job-results.sh"),
    ];
    return ["bash", "-c", texts.join("\n"), "bash", ...words];
}

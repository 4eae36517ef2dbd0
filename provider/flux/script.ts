import { readFileSync } from "node:fs";
import { join } from "node:path";

import { archiveName } from "../contract/code/code";
import { FIND_FLUX, jobResultsDir, quote } from "../contract/paths";
import { packWanted } from "../contract/results";
import { runOptionWords } from "../contract/runOptions";
import { MOST_LISTED } from "./elements";
import { rendezvousScript, scriptText } from "../contract/scriptText";
import { contentHash, type Dependency, type JobRequest } from "./job";

/** The text for bash's standard input: the script and a call of one of its functions, which may read what follows. */
export function scriptWith(call: readonly string[]): string {
    const script = readFileSync(join(__dirname, "job.sh"), "utf8");
    return `${FIND_FLUX}\n${script}\n${call.map(quote).join(" ")} 8<&0 </dev/null; exit\n`;
}

/** The call of job.sh that submits a job, as words. */
export function submitCall(job: JobRequest): string[] {
    const { command, environment = {}, jobName, nonce, rendezvous, secretEnvironment = {} } = job;
    const secrets = Object.entries(secretEnvironment).map(([name, value]) => `${name}=${inOneLine(value)}`);
    const assignments = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    // Its whole text: the cluster has the file only for a rendezvous of its own command.
    const meeting = rendezvous ? ["bash", "-c", rendezvousScript(), "bash", rendezvous] : [];
    const variables = assignments.length > 0 ? ["env", ...assignments.sort()] : [];
    const options = [
        ...runOptionWords(job),
        ...dependencyWords(job.after),
        ...directoryWords(job),
        ...codeWords(job),
        ...resultsWords(job),
    ];
    const words = [...folderWords(job), ...meeting, ...variables, ...command];
    const guard = job.interrupt ?? "refuse";
    return ["submit", jobName, nonce, contentHash(job), guard, secrets.join("\n"), ...options, "--", ...words];
}

function directoryWords({ workingDirectory }: JobRequest): string[] {
    return (workingDirectory ?? undefined) === undefined ? [] : [`--cwd=${workingDirectory}`];
}

/**
 * The options of a job with an archive of files, which the job also names for the agent.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-shell.html
 */
function codeWords({ code }: JobRequest): string[] {
    const archive = code && archiveName(code);
    return archive ? [`--setopt=stage-in.names=${archive}`, `--setattr=user.minicluster.code=${archive}`] : [];
}

/** Runs the words after these in the folder of the files. Flux goes to a job's directory before it unpacks them. */
function folderWords(job: JobRequest): string[] {
    if (!job.code || directoryWords(job).length > 0) {
        return [];
    }
    const copy = () => [scriptText(__dirname, "work-folder.sh"), "bash", jobResultsDir({ ...job, jobId: "" })];
    return ["bash", "-c", ...(job.keeps ? copy() : ['cd "$FLUX_JOB_TMPDIR" && exec "$@"', "bash"])];
}

/** Names the results for the command line. */
function resultsWords({ keeps }: JobRequest): string[] {
    return keeps ? [`--setattr=user.minicluster.results=${packWanted(keeps)}`] : [];
}

/** A value in one line, as the %b of bash's printf reads it. */
function inOneLine(value: string): string {
    return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** The call of job.sh that submits elements of an array. The other arguments are those of one job. */
export function submitArrayCall(program: string, request: object, job: JobRequest): string[] {
    const [, ...words] = submitCall(job);
    return ["submit_array", program, JSON.stringify(request), ...words];
}

/**
 * The dependencies that Flux has to keep. One on a job that has already ended is left out, because Flux may have
 * forgotten that job.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-submit.html
 */
function dependencyWords(after: readonly Dependency[] = []): string[] {
    const hasEnded = ({ end, phase }: Dependency) => phase === "succeeded" || (end === "any" && phase === "failed");
    return after.flatMap((job, index) => (hasEnded(job) ? [] : dependencyOn(job, index)));
}

/** Flux has no dependency on an array, so there is one on each element. */
function dependencyOn({ end = "ok", jobId, jobIds = [jobId] }: Dependency, index: number): string[] {
    if (jobIds.length === 0) {
        const reason = `has more than ${MOST_LISTED} elements or isn't complete, and hasn't ended; Flux needs a dependency on each`;
        throw new Error(`after[${index}] is an array that ${reason}. Let it wait for its end (wait: true)`);
    }
    return jobIds.map((id) => `--dependency=after${end}:${id}`);
}

import { KILLED } from "../../provider/flux/calls";
import { execute, type Executed } from "../../provider/kube/exec";
import { lost } from "../../provider/kube/socket";
import type { Arguments } from "../arguments";
import { findingFlux } from "../flux";
import { leadOf, type Target, targetOf } from "../target";
import { age, table } from "../terminal";

/** Fields of `flux jobs`. The name is last, because it may contain tabs. */
const FIELDS = ["id.f58plain", "status", "returncode", "nnodes", "ntasks", "runtime", "name"];

export interface FluxJobRow {
    readonly jobId: string;
    readonly status: string;
    readonly exitCode: number | null;
    readonly nodes: number | null;
    readonly tasks: number | null;
    readonly seconds: number | null;
    readonly name: string;
}

/** Lists the jobs that Flux knows, the newest first. */
export async function jobs({ options }: Arguments): Promise<number> {
    const target = targetOf(options);
    const format = FIELDS.map((field) => `{${field}}`).join("\t");
    const command = findingFlux(["flux", "jobs", "-a", "--count=0", "--no-header", `--format=${format}`]);
    const { exitCode, stderr, stdout } = await run(target, command);
    if (exitCode !== 0) {
        throw new Error(`flux jobs: ${stderr.trim() || `exit code ${exitCode}`}`);
    }
    const rows = parseJobs(stdout);
    if (options.json) {
        process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
        return 0;
    }
    const text = (value: number | null) => (value === null ? "-" : String(value));
    const cells = rows.map((row) => [
        row.jobId,
        row.status,
        text(row.exitCode),
        text(row.nodes),
        text(row.tasks),
        row.seconds === null ? "-" : age(row.seconds * 1000),
        row.name,
    ]);
    process.stdout.write(table(["JOBID", "STATUS", "EXIT", "NODES", "TASKS", "TIME", "NAME"], cells));
    return 0;
}

/** Runs a command in the lead's pod, and once again if that pod was lost meanwhile. */
async function run(target: Target, command: readonly string[], tries = 2): Promise<Executed> {
    const { signal } = new AbortController();
    const done = await execute(target.kube, await leadOf(target), { command, input: "", seconds: 60, signal });
    if (!KILLED.includes(done.exitCode)) {
        return done;
    }
    if (tries === 1) {
        throw lost("the command in the lead was killed");
    }
    return run(target, command, tries - 1);
}

/** Parses the lines of `flux jobs`. A value that isn't known yet is empty, or a dash. */
export function parseJobs(text: string): FluxJobRow[] {
    return text
        .split("\n")
        .filter((line) => line.includes("\t"))
        .map((line) => {
            const [jobId, status, exitCode, nodes, tasks, seconds, ...name] = line.split("\t");
            return {
                jobId,
                status,
                exitCode: number(exitCode),
                nodes: number(nodes),
                tasks: number(tasks),
                seconds: number(seconds),
                name: name.join("\t"),
            };
        });
}

function number(text: string): number | null {
    return text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text);
}

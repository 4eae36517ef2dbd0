import { unquoted } from "../../provider/contract/foreignText";

/** Fields of `flux jobs`. `!a` quotes the name, which may contain tabs and line feeds. */
const FIELDS = ["id.f58plain", "status", "returncode", "nnodes", "ntasks", "runtime", "name!a"];

/** The format of `flux jobs` that `parseJobs` reads. */
export const FORMAT = FIELDS.map((field) => `{${field}}`).join("\t");

/** A job in the list. */
export interface FluxJobRow {
    readonly jobId: string;
    readonly status: string;
    readonly exitCode: number | null;
    readonly nodes: number | null;
    readonly tasks: number | null;
    readonly seconds: number | null;
    readonly name: string;
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
                name: unquoted(name.join("\t")),
            };
        });
}

function number(text: string): number | null {
    return text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text);
}

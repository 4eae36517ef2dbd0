import type { Fields, Reader } from "./reader";

/** The command of the container that runs Flux, as arguments of a MiniCluster. */
export interface Command {
    readonly command?: string[];
    readonly launcher?: boolean;
}

/** Directory of the output files of a batch, unless `logs` names one. */
const OUTPUT_DIR = "/tmp/fluxout";

/** A batch as a launcher, which submits each line and waits for the end of all jobs. */
export function readBatch(reader: Reader, path: string, container: Fields, text: string): Command {
    if (container.launcher) {
        reader.warn(`${path}.launcher`, "is true beside batch, which the operator refuses. Remove one of them.");
    }
    if (/[$`"\\]/.test(text)) {
        const reason = "has $, `, \" or a backslash, which the operator's shell reads once before the batch does.";
        reader.warn(
            `${path}.command`,
            `${reason} Here only the batch reads them; remove backslashes that are for the first shell.`,
        );
    }
    return { command: ["bash", "-c", batch(container, text)], launcher: true };
}

/**
 * A script that submits one job for each line. Its exit code is the highest exit code of the jobs. As with the operator,
 * the jobs write files, whose numbers count all lines, and the directory is on every rank.
 */
function batch({ batchRaw, logs }: Fields, text: string): string {
    const folder = shellWord(String(logs || OUTPUT_DIR));
    const prepare = [`export FLUX_OUTPUT_DIR=${folder}`, 'flux exec --quiet mkdir -p "$FLUX_OUTPUT_DIR"'];
    if (batchRaw) {
        return [...prepare, text].join("\n");
    }
    const jobs = text.split("\n").flatMap((line, index) => {
        const job = `"$FLUX_OUTPUT_DIR"/job-${index}`;
        return line.trim() === "" || line.trim().startsWith("#")
            ? []
            : [`flux submit --flags=waitable --error=${job}.err --output=${job}.out ${line.trim()}`];
    });
    return [...prepare, ...jobs, "flux job wait --all"].join("\n");
}

/** A word as a shell reads it. */
function shellWord(text: string): string {
    return /^[-\w./]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

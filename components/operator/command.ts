import type { Fields, Reader } from "./reader";

/** The command of the container that runs Flux, as arguments of a MiniCluster. */
export interface Command {
    readonly command?: string[];
    readonly launcher?: boolean;
}

/**
 * Reads the command. The operator's is a text for a shell; a MiniCluster's is a list of words, which no shell reads.
 */
export function readCommand(reader: Reader, path: string, container: Fields, interactive: boolean): Command {
    const script = container.commands?.script as string | undefined;
    const text = String(script ?? container.command ?? "").trim();
    if (text === "") {
        return {};
    }
    if (interactive) {
        reader.warn(
            `${path}.command`,
            "is ignored: an interactive cluster doesn't run it. Here such a cluster is persistent, without a command.",
        );
        return {};
    }
    if (container.batch) {
        return { command: ["bash", "-c", batch(container, text)], launcher: true };
    }
    const command =
        script === undefined && !/["'`$|;&<>*?~(){}\\\n#]/.test(text) ? text.split(/\s+/) : ["bash", "-c", text];
    return container.launcher ? { command, launcher: true } : { command };
}

/** Directory of the output files of a batch, unless `logs` names one. */
const OUTPUT_DIR = "/tmp/fluxout";

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

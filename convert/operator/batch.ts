import { RUN_DIR } from "../../provider/contract/paths";
import type { PodFile } from "./hooks";
import { warnOfOwnVariables } from "./ownNames";
import type { Fields, Reader } from "../reader";
import { quoted } from "../shell";
import { expands } from "./script";

/** The command of the container that runs Flux, as arguments of a MiniCluster. */
export interface Command {
    readonly command?: string[];
    readonly launcher?: boolean;
}

/** A batch, with the file that a hook writes for it. */
export interface Batch extends Command {
    readonly file?: PodFile;
}

/** Directory of the output files of a batch, unless `logs` names one. */
const OUTPUT_DIR = "/tmp/fluxout";
const NAME = "operator-batch.sh";

/**
 * A batch as a launcher, which submits each line and waits for the end of all jobs. The operator's shell reads the text
 * once, between double quotes, when the lead's pod starts. If it has variables, a hook of the lead writes the file.
 */
export function readBatch(reader: Reader, path: string, container: Fields, text: string): Batch {
    if (container.launcher) {
        reader.warn(`${path}.launcher`, "is true beside batch, which the operator refuses. Remove one of them.");
    }
    warnOfOwnVariables(reader, `${path}.command`, text.replaceAll(/\$\{?FLUX_OUTPUT_DIR\b/g, ""));
    const lines = linesOf(reader, `${path}.command`, container, text);
    const setUp = `export FLUX_OUTPUT_DIR=${folderOf(reader, path, container)}`;
    if (/"|\\$/.test(lines.replaceAll(/\\[^]/g, ""))) {
        const reason =
            "has \" without a backslash, or a last backslash, which the operator's shell reads before the batch does: it drops it.";
        reader.warn(`${path}.command`, `${reason} Here the batch has its quotes; check its lines.`);
    }
    if (expands(lines)) {
        const source = batch(container, { lines: inFile(lines), setUp: "", sign: "\\$" }).trim();
        return {
            command: ["bash", `${RUN_DIR}/${NAME}`],
            launcher: true,
            file: { hook: "lead", name: NAME, setUp, source },
        };
    }
    const read = batch(container, { lines: unescaped(lines), setUp, sign: "$" });
    return { command: ["bash", "-c", read], launcher: true };
}

/** The lines of the batch. One that ends in a backslash goes on in the next one. */
function linesOf(reader: Reader, path: string, { batchRaw }: Fields, text: string): string {
    if (batchRaw || !/\\\n/.test(text)) {
        return text;
    }
    const reason = "has a line that ends in a backslash; the operator makes a job of each line, also of a part of one.";
    reader.warn(path, `${reason} Here it goes on in the next line; write it in one line.`);
    return text.replaceAll(/(\\+)\n\s*/g, (found, { length }: string) => (length % 2 === 1 ? " " : found));
}

/** The text without the backslashes of the first reading. Quotes stay, because the batch needs them. */
function unescaped(text: string): string {
    return text.replaceAll(/\\([$`"\\]|\n)/g, (_, sign: string) => sign.trim());
}

/** The text for a here-document, which reads it like double quotes, except that a quote needs no backslash there. */
function inFile(text: string): string {
    return text.replaceAll(/\\[^]/g, (found) => (found === '\\"' ? '"' : found));
}

interface Parts {
    readonly lines: string;
    readonly setUp: string;
    /** The sign before the batch's own variables. */
    readonly sign: string;
}

/**
 * A script that submits one job for each line. As with the operator, a line that fails doesn't end the others, the jobs
 * write files, whose numbers count all lines, and the directory is on every rank. Its exit code is the highest exit code
 * of the jobs, or 1 if only a line fails.
 */
function batch({ batchRaw }: Fields, { lines, setUp, sign }: Parts): string {
    const folder = `"${sign}FLUX_OUTPUT_DIR"`;
    const prepare = [...(setUp === "" ? [] : [setUp]), `flux exec --quiet mkdir -p ${folder}`];
    if (batchRaw) {
        return [...prepare, lines].join("\n");
    }
    const jobs = lines.split("\n").flatMap((line, index) => {
        const job = `${folder}/job-${index}`;
        return line.trim() === "" || line.trim().startsWith("#")
            ? []
            : [`flux submit --flags=waitable --error=${job}.err --output=${job}.out ${line.trim()}`];
    });
    const ends = ["trap - ERR", "flux job wait --all || exit", `exit "${sign}failed"`];
    return [...prepare, "failed=0", "trap 'failed=1' ERR", ...jobs, ...ends].join("\n");
}

/** The directory as the operator's shell reads it, which expands variables and ~. */
function folderOf(reader: Reader, path: string, { logs }: Fields): string {
    const folder = String(logs || OUTPUT_DIR);
    if (/^(~\/?|\$\w+|\$\{\w+\}|[\w./+-])+$/.test(folder)) {
        return folder;
    }
    const reason = `is "${folder}", which the operator's shell reads as code.`;
    reader.warn(`${path}.logs`, `${reason} Here it is the name of the directory; give a name without such signs.`);
    return quoted(folder);
}

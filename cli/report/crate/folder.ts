import { copyFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { bytesOf } from "../../../provider/record/record";
import { counted } from "../../../provider/contract/words";
import { sentence } from "../../../provider/kubernetes/failures/failure";
import { sumOfFile } from "../../../provider/results/list";
import { UsageError } from "../../definition/arguments";
import type { RecordedOutputs } from "../../target/stack";
import { recordIn } from "../recorded";
import { type CrateFile, type Given, metadataOf } from "./metadata";

/** What has become of a crate. */
export interface Written {
    /** What the crate doesn't have, each with the reason. */
    readonly missing: readonly string[];
}

/** Writes a Process Run Crate of a run that has ended into a new folder. */
export async function writeCrate(folder: string, recorded: RecordedOutputs, given: Given): Promise<Written> {
    const record = recordIn({ recorded });
    if (record === undefined) {
        throw new UsageError(
            "--crate needs the record of a run that has ended, which the outputs of a stack have. " +
                "Give --stack, and export the MiniCluster; a persistent cluster has no record.",
        );
    }
    make(folder);
    const output = String(recorded.output ?? "");
    const texts = [
        { path: "record.json", text: `${JSON.stringify(record, undefined, 2)}\n`, type: "application/json" },
    ];
    // An output that is a secret is another text here.
    const hasOutput = bytesOf(output).sha256 === record.output?.sha256;
    if (hasOutput) {
        texts.unshift({ path: "output.txt", text: output, type: "text/plain" });
    }
    texts.forEach(({ path, text }) => writeFileSync(join(folder, path), text));
    const results = await copyResults(folder, recorded);
    const files = [...texts.map(({ path, text, type }) => ({ path, type, ...bytesOf(text) })), ...results.files];
    writeFileSync(
        join(folder, "ro-crate-metadata.json"),
        `${JSON.stringify(metadataOf(record, files, given), undefined, 2)}\n`,
    );
    return {
        missing: [...(hasOutput ? [] : ["output.txt: the output is a secret, or was not kept"]), ...results.missing],
    };
}

function make(folder: string): void {
    try {
        mkdirSync(dirname(folder), { recursive: true });
        mkdirSync(folder);
    } catch (error) {
        throw new UsageError(`--crate is "${folder}", which can't be made: ${sentence(error)}. Name a new folder.`);
    }
}

/** Copies the results that are on this machine with the recorded hashes. */
async function copyResults(
    folder: string,
    { results }: RecordedOutputs,
): Promise<{ readonly files: CrateFile[]; readonly missing: string[] }> {
    const { at = "", count = 0, files: listed = [] } = results ?? {};
    const files: CrateFile[] = [];
    for (const { bytes, path, sha256 } of listed) {
        const from = join(at, path);
        if (isFile(from) && (await sumOfFile(from)) === sha256) {
            const to = join(folder, "results", path);
            mkdirSync(dirname(to), { recursive: true });
            copyFileSync(from, to);
            files.push({ path: `results/${path}`, bytes, sha256 });
        }
    }
    const lack = count - files.length;
    const where = at === "" ? "they were not kept" : `they are not in ${at} of this folder with the recorded SHA-256`;
    return { files, missing: lack === 0 ? [] : [`${counted(lack, "file")} of the results: ${where}`] };
}

function isFile(path: string): boolean {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

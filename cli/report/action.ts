import { foreignJson } from "../../provider/contract/foreignText";
import { writeFileSync } from "node:fs";

import { sentence } from "../../provider/kubernetes/failures/failure";
import { type Arguments, UsageError } from "../definition/arguments";
import { collect } from "./collect";
import type { Given } from "./crate/metadata";
import { readSource } from "./source";
import { type Target, targetOf } from "../target/target";
import { say, written } from "../terminal/terminal";

/** Writes a report of a cluster's run as a page of HTML, or with `--json` its data. */
export async function report({ options }: Arguments): Promise<number> {
    const target = await targetOf(options, true);
    if (options.crate !== undefined) {
        return crate(options.crate as string, target, options);
    }
    const found = collect(await readSource(target));
    const wanted = (options.output as string | undefined) ?? (options.json ? "-" : undefined);
    const text = options.json ? `${foreignJson(found, 2)}\n` : await pageOf(found);
    if (wanted === "-") {
        await written(process.stdout, text);
        return 0;
    }
    process.stdout.write(`${wanted === undefined ? writeNew(target.name, text) : overwrite(wanted, text)}\n`);
    return 0;
}

/** Loads what only a crate needs. */
async function crate(folder: string, { outputs = {} }: Target, options: Arguments["options"]): Promise<number> {
    const { author, license, organization } = options as Partial<Given>;
    if (license === undefined) {
        throw new UsageError("--crate needs --license with the URL of the license under which the crate may be used.");
    }
    const { writeCrate } = await import("./crate/folder.js");
    const { missing } = await writeCrate(folder, outputs, { author, license, organization });
    missing.forEach((line) => say(`not in the crate: ${line}`));
    process.stdout.write(`${folder}\n`);
    return 0;
}

function overwrite(file: string, text: string): string {
    try {
        writeFileSync(file, text);
        return file;
    } catch (error) {
        throw new Error(`--output is "${file}", which can't be written: ${sentence(error)}.`);
    }
}

/** Writes `NAME.html`, or `NAME-2.html` and so on: an earlier report may be the only one of a cluster that has ended. */
export function writeNew(name: string, text: string, number = 1): string {
    const file = number === 1 ? `${name}.html` : `${name}-${number}.html`;
    try {
        writeFileSync(file, text, { flag: "wx" });
        return file;
    } catch (error) {
        if ((error as { code?: string }).code === "EEXIST") {
            return writeNew(name, text, number + 1);
        }
        throw new Error(`${file} can't be written: ${sentence(error)}. Give --output.`);
    }
}

/** The page loads the chart library, which JSON doesn't need. */
async function pageOf(found: ReturnType<typeof collect>): Promise<string> {
    const { page } = await import("./page/page.js");
    return page(found);
}

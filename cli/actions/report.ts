import { foreignJson } from "../../provider/contract/foreignText";
import { writeFileSync } from "node:fs";

import { sentence } from "../../provider/kube/failure";
import type { Arguments } from "../arguments";
import { collect } from "../report/collect";
import { readSource } from "../report/source";
import { targetOf } from "../target";
import { written } from "../terminal";

/** Writes a report of a cluster's run as a page of HTML, or with `--json` its data. */
export async function report({ options }: Arguments): Promise<number> {
    const target = await targetOf(options);
    const found = collect(await readSource(target));
    const file = (options.output as string | undefined) ?? (options.json ? "-" : `${target.name}.html`);
    const text = options.json ? `${foreignJson(found, 2)}\n` : await pageOf(found);
    if (file === "-") {
        await written(process.stdout, text);
        return 0;
    }
    try {
        writeFileSync(file, text);
    } catch (error) {
        throw new Error(`--output is "${file}", which can't be written: ${sentence(error)}.`);
    }
    process.stdout.write(`${file}\n`);
    return 0;
}

/** The page loads the chart library, which JSON doesn't need. */
async function pageOf(found: ReturnType<typeof collect>): Promise<string> {
    const { page } = await import("../report/page/page.js");
    return page(found);
}

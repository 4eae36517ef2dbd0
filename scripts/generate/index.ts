import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ADDRESSES, npmFields } from "../release/addresses";
import { readTried } from "../tests/tried";
import { Description } from "./describe";
import { childrenModule, exportsModule } from "./lists";
import { withAddresses } from "./manifest";
import { schemaFile } from "./schema";
import { shapesModule } from "./shapes";
import { withResults } from "./support";
import { type Subject, withTables } from "./tables";

const ROOT = join(__dirname, "../..");

/** All files that are generated from arguments, outputs, addresses and results, completely or in parts, with their texts. */
export function generated(): Map<string, string> {
    const description = new Description();
    const cluster = description.of("MiniClusterArgs");
    const job = description.of("FluxJobArgs");
    const documents: Readonly<Record<string, Subject>> = {
        "docs/arguments.md": { arguments: cluster, outputs: description.outputsOf("MiniCluster") },
        "docs/jobs.md": { arguments: job, outputs: description.outputsOf("FluxJob") },
        "docs/run-options.md": { arguments: job },
    };
    return new Map([
        ["components/generated/children.ts", childrenModule()],
        ["components/generated/exports.ts", exportsModule([...cluster, ...job])],
        ["components/generated/shapes.ts", shapesModule({ ARGUMENTS: cluster, JOB_ARGUMENTS: job })],
        ["package.json", withAddresses(readFileSync(join(ROOT, "package.json"), "utf8"), npmFields(ADDRESSES))],
        ["docs/requirements.md", withResults(readFileSync(join(ROOT, "docs/requirements.md"), "utf8"), readTried())],
        ["plugin/schema.json", schemaFile(description)],
        ...Object.entries(documents).map(([file, subject]): [string, string] => [
            file,
            withTables(readFileSync(join(ROOT, file), "utf8"), subject),
        ]),
    ]);
}

if (require.main === module) {
    for (const [file, text] of generated()) {
        writeFileSync(join(ROOT, file), text);
    }
}

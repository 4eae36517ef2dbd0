import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Description } from "./describe";
import { schemaFile } from "./schema";
import { shapesModule } from "./shapes";
import { withTables } from "./tables";

const ROOT = join(__dirname, "../..");

/** All files that are generated from the arguments, completely or in parts, with their texts. */
export function generated(): Map<string, string> {
    const description = new Description();
    const cluster = description.of("MiniClusterArgs");
    const job = description.of("FluxJobArgs");
    const documents = {
        "docs/arguments.md": cluster,
        "docs/jobs.md": job,
        "docs/run-options.md": job,
        "README.md": cluster,
    };
    return new Map([
        ["components/generated/shapes.ts", shapesModule({ ARGUMENTS: cluster, JOB_ARGUMENTS: job })],
        ["plugin/schema.json", schemaFile(description)],
        ...Object.entries(documents).map(([file, all]): [string, string] => [
            file,
            withTables(readFileSync(join(ROOT, file), "utf8"), all),
        ]),
    ]);
}

if (require.main === module) {
    for (const [file, text] of generated()) {
        writeFileSync(join(ROOT, file), text);
    }
}

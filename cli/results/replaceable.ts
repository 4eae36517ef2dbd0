import { statSync } from "node:fs";
import { relative, resolve } from "node:path";

import { UsageError } from "../definition/arguments";

/** Refuses a folder whose replacement would remove more than older results. */
export function requireReplaceable(to: string): void {
    const holdsThis = !relative(resolve(to), process.cwd()).startsWith("..");
    if (holdsThis) {
        throw new UsageError(
            `--to is "${to}", which would be replaced, with the current folder. Name a folder of its own.`,
        );
    }
    if (statSync(to, { throwIfNoEntry: false })?.isDirectory() === false) {
        throw new UsageError(`--to is "${to}", which is a file. Name a folder.`);
    }
}

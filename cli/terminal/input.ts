import { readFileSync } from "node:fs";

import { UsageError } from "../definition/arguments";

/** The text of a file, or of standard input if there is no word or a dash. `hint` says what to pipe into it. */
export async function readInput([file = "-"]: readonly string[], hint: string): Promise<string> {
    if (file !== "-") {
        return readFileSync(file, "utf8");
    }
    if (process.stdin.isTTY) {
        throw new UsageError(hint);
    }
    const chunks = (await process.stdin.setEncoding("utf8").toArray()) as string[];
    return chunks.join("");
}

import { appendFileSync } from "node:fs";

import { PROFILE_VARIABLE } from "./measure";
import { type Profile, readProfile } from "./profile";

/** More files than so many don't fail by chance. */
const MOST_FILES = 2;

/** Set in the second run of a file: its failures count, and not those of the first run. */
const AGAIN = { TEST_AGAIN: "on" };

/**
 * Runs the tests of a folder. If few files fail, they run once more, one after the other and with none of the others beside
 * them: what passes then has failed only on a busy machine or by chance. The end of the run names it as unstable, and it
 * doesn't fail the run. STRICT=on tries nothing again.
 */
export async function withSecondTry(
    folders: readonly string[],
    run: () => Promise<boolean>,
    runAlone: (files: readonly string[], env: NodeJS.ProcessEnv) => Promise<boolean>,
): Promise<boolean> {
    if (await run()) {
        return true;
    }
    const path = process.env[PROFILE_VARIABLE] ?? "";
    const files = process.env["STRICT"] === "on" ? [] : filesToRepeat(readProfile(path), folders);
    if (files.length === 0) {
        return false;
    }
    console.log(`Tests failed in ${files.join(" and ")}, which run once more, alone.`);
    appendFileSync(path, `${JSON.stringify({ kind: "again", files })}\n`);
    return runAlone(files, AGAIN);
}

/** The files that have failed once; none if they are too many, or if something failed that is not in these folders. */
export function filesToRepeat({ failures }: Pick<Profile, "failures">, folders: readonly string[]): string[] {
    const files = [...new Set(failures.filter(({ again }) => !again).map(({ file }) => file))];
    const areOwn = files.every((file) => folders.some((folder) => file.startsWith(`${folder}/`)));
    return areOwn && files.length <= MOST_FILES ? files : [];
}

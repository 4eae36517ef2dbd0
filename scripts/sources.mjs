// What the checks of shell and Python have in common: the list of files, and the check of their format.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Files that match one of the patterns, also those that git doesn't track yet. */
export function sources(...patterns) {
    const words = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", ...patterns];
    const { status, stdout, stderr } = spawnSync("git", words, { encoding: "utf8" });
    if (status !== 0) {
        throw new Error(`The files can't be listed: ${stderr}`);
    }
    return stdout.split("\n").filter((path) => path !== "" && existsSync(path));
}

/** Prints the files that aren't formatted, or formats them if `write` is true. Returns true if all are formatted. */
export function checkFormat(paths, format, write) {
    const [broken, differing] = [[], []];
    for (const path of paths) {
        const text = readFileSync(path, "utf8");
        try {
            const formatted = format(text, path);
            if (write && formatted !== text) {
                writeFileSync(path, formatted);
            } else if (formatted !== text) {
                differing.push(path);
            }
        } catch (error) {
            broken.push(path);
            console.error(`${path} can't be formatted: ${error.message}`);
        }
    }
    if (differing.length > 0) {
        console.error(`Not formatted (npm run format):\n  ${differing.join("\n  ")}`);
    }
    return broken.length + differing.length === 0;
}

import { spawnSync } from "node:child_process";

/** Runs each script that it reads, in a process of its own, and says whether it has succeeded. */
const LOOP = `while IFS= read -r -d '' script; do
    (eval "$script") </dev/null 2>/dev/null && printf '\\001+' || printf '\\001-'
done`;

/**
 * What bash prints for each of these scripts; undefined if one fails. One bash runs all of them: on a busy machine, hundreds of
 * forks of a large Node take a minute.
 */
export function printedByBash(scripts: readonly string[]): (string | undefined)[] {
    const input = scripts.map((script) => `${script}\0`).join("");
    const { stdout } = spawnSync("bash", ["-c", LOOP], { encoding: "utf8", input, maxBuffer: 1e8 });
    const parts = stdout.split(/\u0001([+-])/);
    return scripts.map((_, index) => (parts[2 * index + 1] === "+" ? parts[2 * index] : undefined));
}

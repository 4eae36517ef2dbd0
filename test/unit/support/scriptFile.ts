import { readdirSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(__dirname, "../../..");

/** The paths of all scripts of the package, by name. */
export const SCRIPT_FILES: ReadonlyMap<string, string> = new Map(
    ["components", "provider/contract"].flatMap((folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
            .filter((file) => /\.(sh|py|txt)$/.test(file))
            .map((file): [string, string] => [basename(file), join(ROOT, folder, file)]),
    ),
);

export function scriptFile(name: string): string {
    const path = SCRIPT_FILES.get(name);
    if (path === undefined) {
        throw new Error(`There is no script ${name}.`);
    }
    return path;
}

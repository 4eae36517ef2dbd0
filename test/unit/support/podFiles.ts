import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(__dirname, "../../..");

/** What a program does with a file. `names`: it passes on the path, or makes a folder. */
export type Use = "writes" | "reads" | "names";

/** A program of the pods that uses a file of the pod's folder ($MINICLUSTER_RUN). */
export interface FileUse {
    readonly file: string;
    readonly program: string;
    readonly use: Use;
}

/** The texts of all programs that run in pods, by name. */
export function podPrograms(): ReadonlyMap<string, string> {
    const paths = ["components", "provider"].flatMap((folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
            .filter((file) => /\.(sh|py)$/.test(file))
            .map((file) => join(ROOT, folder, file)),
    );
    return new Map(paths.map((path) => [basename(path), readFileSync(path, "utf8")]));
}

/** All uses of files of the pod's folder. A removal is none. */
export function fileUses(): FileUse[] {
    return [...podPrograms()].flatMap(([program, text]) => {
        const code = plainCode(text);
        const uses = program.endsWith(".sh") ? [...byWords(code), ...byPaths(code)] : inPython(text);
        return uses.map(([file, use]) => ({ file, program, use }));
    });
}

/** The code without comments, quotes, tests of variables and removals. Paths stand in place of their variables. */
function plainCode(text: string): string {
    let code = text
        .replaceAll(/^\s*#.*$/gm, "")
        .replaceAll(/["\\]/g, "")
        .replaceAll(/-[nz] \$\w+/g, "")
        .replaceAll(/\brm (-\w+ )?[^\n;&|]*/g, "");
    // A path may go through two variables.
    for (let round = 0; round < 2; round++) {
        const variables = [...code.matchAll(/\b([a-z]\w*)=(\$MINICLUSTER_RUN(?:\/[\w.]+)?)(?=[\s;]|$)/gm)];
        for (const [definition, variable, path] of variables) {
            code = code.replace(definition, "").replaceAll(new RegExp(`\\$${variable}\\b`, "g"), () => path);
        }
    }
    return code;
}

type Found = [file: string, use: Use];

/** `mark` and `has`, where a command begins. */
function byWords(code: string): Found[] {
    const words = code.matchAll(/(?:^|[;&|!]|\b(?:if|then|do|while|until))[ \t]*\b(mark|has) ([a-z][\w.]*)/gm);
    return [...words].map(([, word, file]) => [file, word === "mark" ? "writes" : "reads"]);
}

/** Paths, such as >$MINICLUSTER_RUN/ended and $MINICLUSTER_RUN/{ended,ready}. A file in a folder counts as the folder. */
function byPaths(code: string): Found[] {
    const paths = code.matchAll(/\$MINICLUSTER_RUN\/([\w.]*\w)?(?:(\.?)\{([\w.,]+)\})?(\.(?!\w))?/g);
    return [...paths].flatMap(({ 0: path, 1: name = "", 2: dot = "", 3: ends, 4: isPattern, index }) => {
        const before = code.slice(code.lastIndexOf("\n", index) + 1, index);
        const use = useOf(before, code.slice(index + path.length));
        const names = (ends ?? "").split(",").map((end) => name + dot + end);
        return isPattern || name + dot + (ends ?? "") === ""
            ? []
            : names.map((file): Found => [file.replace(/\.new$/, ""), use]);
    });
}

/** What a command does with a path between these texts. */
function useOf(before: string, after: string): Use {
    if (/>$/.test(before) || (/\bmv (-\w+ )?[^;&|]+ $/.test(before) && /^[ \t]*($|[\n;&|])/.test(after))) {
        return "writes";
    }
    return /(<|-[esr] |\. |source |cat )$/.test(before) ? "reads" : "names";
}

function inPython(code: string): Found[] {
    const paths = code.matchAll(/environ\['MINICLUSTER_RUN'\]\}\/([\w.]+)/g);
    const looks = code.matchAll(/\b(?:is_there|self\.(?:number|content|time_of))\("([\w.]+)"\)/g);
    return [
        ...[...paths].map(([, file]): Found => [file, "names"]),
        ...[...looks].map(([, file]): Found => [file, "reads"]),
    ];
}

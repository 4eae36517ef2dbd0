import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import ts from "typescript";

const ROOT = join(__dirname, "../../..");

/** The files that each file of the product imports: as values or types, at its start or later, by import() and require(). */
function importsOf(files: readonly string[]): Map<string, string[]> {
    return new Map(
        files.map((file) => {
            const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), "utf8"), true, true);
            const found = importedFiles.flatMap(({ fileName }) =>
                fileName.startsWith(".") ? (fileOf(join(ROOT, dirname(file), fileName)) ?? []) : [],
            );
            return [file, [...new Set(found)]];
        }),
    );
}

function fileOf(path: string): string | undefined {
    const base = path.replace(/\.js$/, "");
    const found = [`${base}.ts`, join(base, "index.ts")].find((candidate) => existsSync(candidate));
    return found && relative(ROOT, found);
}

/** The first circle of imports that is found, from a file back to itself. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
    const done = new Set<string>();
    const visit = (file: string, way: readonly string[]): string[] | undefined => {
        if (way.includes(file)) {
            return [...way.slice(way.indexOf(file)), file];
        }
        if (done.has(file)) {
            return undefined;
        }
        for (const next of imports.get(file) ?? []) {
            const circle = visit(next, [...way, file]);
            if (circle !== undefined) {
                return circle;
            }
        }
        done.add(file);
        return undefined;
    };
    for (const file of imports.keys()) {
        const circle = visit(file, []);
        if (circle !== undefined) {
            return circle;
        }
    }
    return undefined;
}

/** The linter finds circles of imports at the start of files only. */
describe("the imports of the product, also those that a file makes later", () => {
    const imports = importsOf(globSync("{cli,components,convert,plugin,provider}/**/*.ts", { cwd: ROOT }));

    it("have no circle", () => assert.equal(circleIn(imports)?.join(" -> "), undefined));

    it("are all read, so that this test can fail", () => {
        assert.ok(imports.get("provider/index.ts")?.includes("provider/indexedJob/verbs.ts"));
        assert.ok(imports.get("plugin/functions.ts")?.includes("convert/index.ts"));
        const circular = new Map([...imports, ["convert/reader.ts", ["plugin/functions.ts"]]]);
        assert.equal(circleIn(circular)?.at(0), circleIn(circular)?.at(-1));
    });
});

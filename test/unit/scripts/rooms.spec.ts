import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import ts from "typescript";

const ROOT = join(__dirname, "../../..");
const HOUSES = ["provider", "components"];
/** So many files a head can hold. */
const LARGEST = 25;

/** A row of a README's table of rooms: folders or files, and what they may import beside themselves. */
interface Room {
    readonly names: readonly string[];
    readonly mayKnow: readonly string[];
}

const words = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

function roomsOf(house: string): Room[] {
    const readme = readFileSync(join(ROOT, house, "README.md"), "utf8");
    const [, table = ""] = /^\| room \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(readme) ?? [];
    return table
        .trim()
        .split("\n")
        .map((row) => row.split("|").map((cell) => cell.trim()))
        .map(([, names, , mayKnow]) => ({ names: words(names), mayKnow: words(mayKnow) }));
}

/** The files of the houses that a file imports, as values or types, at its start or later; and their rooms' names in the tables. */
function importsOf(file: string): string[] {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), "utf8"), true, true);
    return importedFiles.flatMap(({ fileName }) => {
        const path = join(ROOT, dirname(file), fileName.replace(/\.js$/, ""));
        const found = fileName.startsWith(".")
            ? [`${path}.ts`, join(path, "index.ts")].find((candidate) => existsSync(candidate))
            : undefined;
        return found === undefined ? [] : [relative(ROOT, found)];
    });
}

/** The name of the room in which a file is: its folder, or itself if it stands beside the rooms. */
function nameIn(house: string, file: string): string {
    const [, first = "", second] = file.split("/");
    return file.startsWith(`${house}/`) ? first + (second === undefined ? "" : "/") : dirname(file).split("/")[0] + "/";
}

/** What a file imports although its room's row doesn't name it. */
function strangers(house: string, rooms: readonly Room[], file: string, imports: readonly string[]): string[] {
    const own = nameIn(house, file);
    const room = rooms.find(({ names }) => names.includes(own));
    if (room === undefined) {
        return [`${file} is in no room`];
    }
    return imports
        .filter((target) => ![own, ...room.mayKnow].includes(nameIn(house, target)))
        .map((target) => `${file} imports ${target}`);
}

for (const house of HOUSES) {
    describe(`the rooms of ${house}/README.md`, () => {
        const rooms = roomsOf(house);
        const files = globSync(`${house}/**/*.ts`, { cwd: ROOT });

        it("know no more than their rows say", () =>
            assert.deepEqual(
                files.flatMap((file) => strangers(house, rooms, file, importsOf(file))),
                [],
            ));

        it("are all there, and know something of each room that they name", () => {
            const known = new Map<string, Set<string>>();
            for (const file of files) {
                const own = nameIn(house, file);
                const found = known.get(own) ?? known.set(own, new Set()).get(own);
                importsOf(file).forEach((target) => found?.add(nameIn(house, target)));
            }
            const idle = rooms.flatMap(({ names, mayKnow }) => [
                ...names.filter((name) => !known.has(name)),
                ...mayKnow
                    .filter((target) => !names.some((name) => known.get(name)?.has(target)))
                    .map((target) => `${names.join(", ")}: ${target}`),
            ]);
            assert.deepEqual(idle, []);
        });

        it("would show a file that knows too much", () => {
            const [name = ""] = rooms.flatMap(({ names }) => names.filter((one) => one.endsWith("/")));
            assert.deepEqual(strangers(house, rooms, join(house, name, "planted.ts"), ["cli/main.ts"]), [
                `${join(house, name, "planted.ts")} imports cli/main.ts`,
            ]);
        });

        it(`have at most ${LARGEST} files in a folder`, () => {
            const folders = globSync(`${house}/**/*.{ts,sh,py,lua}`, { cwd: ROOT }).map((file) => dirname(file));
            const large = [...new Set(folders)]
                .map((folder) => ({ folder, count: folders.filter((other) => other === folder).length }))
                .filter(({ count }) => count > LARGEST);
            assert.deepEqual(large, []);
        });
    });
}

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ANNOTATIONS } from "../../../../provider/contract/labels";
import { fileUses, podPrograms } from "../../support/podFiles";

const ROOT = join(__dirname, "../../../..");
const PROGRAMS = podPrograms();
const USES = fileUses();

/** All names that a pattern finds in the programs of the pods, by program. */
function all(pattern: RegExp): [program: string, name: string][] {
    return [...PROGRAMS].flatMap(([program, text]) =>
        [...text.matchAll(pattern)].map(([, name]): [string, string] => [program, name]),
    );
}

function section(page: string, title: string): string {
    const text = readFileSync(join(ROOT, "docs", page), "utf8");
    return text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${title}\n`)) ?? "";
}

const unique = (names: readonly string[]) => [...new Set(names)].sort();

describe("the section on files and names in docs/security.md", () => {
    const text = section("security.md", "Files and names in a pod");
    const assertNamed = (names: readonly string[]) =>
        assert.deepEqual(
            names.filter((name) => !new RegExp(`(?<![\\w.])${name.replaceAll(".", "\\.")}(?![\\w])`).test(text)),
            [],
        );

    it("has each file and each folder that programs of the pods use in /run/flux", () => {
        assertNamed(unique(USES.map(({ file }) => file)));
    });

    it("has each report of the scripts", () => {
        const names = unique(all(/^\s*(?:\S+ && )?(?:report|record) ([a-z]+)/gm).map(([, name]) => name));
        assert.deepEqual(names, [
            "attempts",
            "ended",
            "error",
            "out",
            "progress",
            "quorum",
            "restarted",
            "results",
            "started",
        ]);
        assertNamed(names);
    });

    it("has the variables of attempts and the annotations of the Job", () => {
        assertNamed(["MINICLUSTER_ATTEMPT", "MINICLUSTER_ATTEMPT_REASON"]);
        const names = Object.values(ANNOTATIONS).map((name) => name.replace("flux-minicluster/", ""));
        assertNamed(names);
    });
});

interface Row {
    readonly file: string;
    readonly writers: readonly string[];
    readonly readers: readonly string[];
}

/** Programs that get the path from another program, or in a variable of a loop. */
const BY_OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
    attempt: ["attempt.sh"],
    bin: ["task.sh"],
    jobs: ["array.py"],
    probe: ["lives.sh"],
    progress: ["progress.sh"],
};

describe("the table of files in docs/how-it-works.md", () => {
    const [table] = section("how-it-works.md", "Files of a pod").split("Outside of");
    const rows = [...table.matchAll(/^\| (\w.*?) \| (.*?) \| (.*?) \| .* \|$/gm)].slice(1).flatMap(toRows);
    const uses = (file: string) => USES.filter((use) => use.file === file);

    function toRows([, files, writers, readers]: RegExpExecArray): Row[] {
        const programs = (cell: string) => [...cell.matchAll(/`(\w[\w-]*\.(?:sh|py))`/g)].map(([, name]) => name);
        return files.split(", ").map((file) => ({ file, writers: programs(writers), readers: programs(readers) }));
    }

    it("has each file that a program uses, once", () => {
        const files = unique([...USES.map(({ file }) => file), ...Object.keys(BY_OTHER_NAMES)]);
        assert.ok(files.length > 25, files.join(" "));
        assert.deepEqual(rows.map(({ file }) => file).sort(), files);
    });

    for (const { file, readers, writers } of rows) {
        const of = (wanted: string) => uses(file).flatMap(({ program, use }) => (use === wanted ? [program] : []));
        const others = [...of("names"), ...(BY_OTHER_NAMES[file] ?? [])];

        it(`has the programs that write ${file}`, () => {
            assert.deepEqual(
                writers.filter((program) => ![...of("writes"), ...others].includes(program)),
                [],
                "don't write it",
            );
            assert.deepEqual(
                of("writes").filter((program) => !writers.includes(program)),
                [],
                "write it too",
            );
        });

        it(`has the programs that read ${file}`, () => {
            assert.deepEqual(
                readers.filter((program) => ![...of("reads"), ...others].includes(program)),
                [],
                "don't read it",
            );
            assert.deepEqual(
                of("reads").filter((program) => !readers.includes(program)),
                [],
                "read it too",
            );
        });
    }

    it("has each program that passes on the path of a file", () => {
        const known = (file: string, program: string) =>
            rows.some((row) => row.file === file && [...row.writers, ...row.readers].includes(program));
        assert.deepEqual(
            USES.filter(({ file, program }) => !known(file, program)),
            [],
        );
    });
});

describe("the words of run.sh", () => {
    const programsWith = (pattern: RegExp) => unique(all(pattern).map(([program]) => program));

    it("are the only ones that write a report, and an error", () => {
        assert.deepEqual(programsWith(/(?<!\.)(minicluster\.[a-z%]+=)/g), ["run.sh"]);
        assert.deepEqual(programsWith(/\b(report error) /g), ["run.sh"]);
    });

    it("name the reasons of a pod that leaves, as the programs in Python do", () => {
        assert.deepEqual(programsWith(/("the pod is leaving")/g), ["elastic_flux.py", "maintain.py", "run.sh"]);
        assert.deepEqual(programsWith(/("the pod leaves for maintenance")/g), ["maintain.py", "run.sh"]);
    });
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../../scripts/local/paths";

/** Needs dist/. */
describe("minicluster fast-host", () => {
    let folder: string;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "project-"));
        mkdirSync(join(folder, "node_modules"));
        symlinkSync(root, join(folder, "node_modules/flux-minicluster"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    function run(project: string, words: string, within = ".") {
        writeFileSync(join(folder, "Pulumi.yaml"), project);
        mkdirSync(join(folder, within), { recursive: true });
        const main = join(root, "dist/cli/main.js");
        const options = { cwd: join(folder, within), encoding: "utf8" } as const;
        const { status, stderr, stdout } = spawnSync(process.execPath, [main, ...words.split(" ")], options);
        return { status, stderr, stdout, project: readFileSync(join(folder, "Pulumi.yaml"), "utf8") };
    }

    const PLAIN = "# our cluster\nname: hpc\nruntime: nodejs # with npm\n";
    const OTHERS = `${PLAIN}plugins:\n  providers:\n    - name: other\n      path: bin\n`;

    for (const [what, project] of [
        ["a plain project", PLAIN],
        [
            "a project with options of the runtime",
            "name: hpc\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
        ],
        ["a project with other plugins", OTHERS],
    ]) {
        it(`on and off leave ${what} as it was, with its comments`, () => {
            const on = run(project, "fast-host on");
            assert.equal(on.stderr, "");
            const entry = "    - name: pulumi-nodejs\n      path: .*dist/provider/host/plugin\n";
            assert.match(
                on.project,
                new RegExp(`\nplugins:\n  providers:\n(    - name: other\n      path: bin\n)?${entry}$`),
            );
            assert.deepEqual(run(on.project, "fast-host off").project, project);
        });
    }

    it("names a folder with the program that Pulumi's engine starts", () => {
        const { project } = run(PLAIN, "fast-host on");
        const path = /path: (.*)\n/.exec(project)?.[1] ?? "";
        assert.ok(existsSync(join(folder, path, "pulumi-resource-pulumi-nodejs")));
    });

    it("changes nothing if it is on or off already", () => {
        const on = run(PLAIN, "fast-host on").project;
        const again = run(on, "fast-host on");
        assert.deepEqual([again.project, again.status], [on, 0]);
        assert.match(again.stdout, /^The fast host is already on in /);
        assert.equal(run(PLAIN, "fast-host off").project, PLAIN);
        const foreign = `${PLAIN}plugins:\n  providers:\n    - name: pulumi-nodejs\n      path: mine\n`;
        assert.equal(run(foreign, "fast-host off").project, foreign);
    });

    it("fills an empty list of plugins", () => {
        assert.equal(run(`${PLAIN}plugins:\n`, "fast-host on").project, run(PLAIN, "fast-host on").project);
    });

    it("corrects the path of a package that has moved", () => {
        const old = `${PLAIN}plugins:\n  providers:\n    - name: pulumi-nodejs\n      path: old/flux-minicluster/dist/provider/host/plugin\n`;
        assert.equal(run(old, "fast-host on").project, run(PLAIN, "fast-host on").project);
    });

    it("finds the project in a folder above", () => {
        assert.match(run(PLAIN, "fast-host on", "src/deep").project, /pulumi-nodejs/);
    });

    const wrong: [string, string, string, RegExp][] = [
        ["another word", PLAIN, "fast-host maybe", /^minicluster: fast-host needs on or off\.\n/],
        ["no word", PLAIN, "fast-host", /^minicluster: fast-host needs on or off\.\n/],
        [
            "a program in Python",
            "name: hpc\nruntime: python\n",
            "fast-host on",
            /has runtime python\. The fast host is only for/,
        ],
        ["invalid YAML", "name: [\n", "fast-host on", /is no valid YAML: /],
        [
            "another plugin of that name",
            `${PLAIN}plugins:\n  providers:\n    - name: pulumi-nodejs\n      path: mine\n`,
            "fast-host on",
            /already has another plugin pulumi-nodejs: mine\. Remove it first\.\n/,
        ],
    ];
    for (const [what, project, words, message] of wrong) {
        it(`refuses ${what}, and changes nothing`, () => {
            const { project: after, status, stderr } = run(project, words);
            assert.match(stderr, message);
            assert.equal(after, project);
            assert.ok(status === 1 || status === 2);
        });
    }

    it("says what to do if the program doesn't have the package", () => {
        rmSync(join(folder, "node_modules/flux-minicluster"));
        const { status, stderr } = run(PLAIN, "fast-host on");
        assert.equal(status, 1);
        assert.match(
            stderr,
            /^minicluster: flux-minicluster isn't installed in .*\. Run npm install flux-minicluster there/,
        );
    });
});

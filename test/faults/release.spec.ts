import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { run } from "../../scripts/local/run";
import { dryRun, FOLDER } from "../../scripts/release/dryRun";
import { copyClone } from "../../scripts/release/twice";
import { MENTIONS, versionIn, withVersion } from "../../scripts/release/version";

describe("a release", function () {
    this.timeout(3_600_000);

    it("is built, checked, published to local registries and installed from there by each client", async () => {
        const said: string[] = [];
        await dryRun(undefined, (line) => {
            said.push(line);
            console.log(`      ${line}`);
        });
        for (const client of ["npm", "pnpm", "Yarn", "pip", "Go", "Pulumi"]) {
            assert(
                said.some((line) => line.endsWith(`installed by ${client}, has a preview`)),
                client,
            );
        }
    });

    it("is refused under a tag that isn't complete, before anything is built", async () => {
        const said: string[] = [];
        await assert.rejects(
            dryRun("v99.0.0", (line) => said.push(line)),
            new RegExp(
                `^Error: v99\\.0\\.0 can't be released:[^]*package\\.json has version ${versionIn("package.json")}`,
            ),
        );
        assert.deepEqual(said, []);
    });

    it("has one version in all files after `npm version`", async () => {
        const copy = join(FOLDER, "raised");
        await copyClone(copy);
        try {
            await run("git", ["init", "--quiet"], { cwd: copy });
            const changelog = join(copy, "CHANGELOG.md");
            const before = readFileSync(changelog, "utf8");
            const section = /^## \[Unreleased\].*\n\n/m;
            writeFileSync(
                changelog,
                section.test(before) ? before : before.replace(/^(?=## )/m, "## [Unreleased]\n\n- A.\n\n"),
            );
            await run("npm", ["version", "99.0.0", "--no-git-tag-version"], { cwd: copy });
            const read = (file: string) => readFileSync(join(copy, file), "utf8");
            for (const file of ["package.json", "package-lock.json", "plugin/schema.json"]) {
                assert.equal(JSON.parse(read(file)).version, "99.0.0", file);
            }
            for (const file of MENTIONS) {
                assert.equal(withVersion(read(file), "99.0.0"), read(file), file);
            }
            assert.match(read("CHANGELOG.md"), /^## \[99\.0\.0\] - \d{4}-\d{2}-\d{2}$/m);
            const staged = await run("git", ["diff", "--cached", "--name-only"], { cwd: copy });
            assert(staged.includes("plugin/schema.json"), "npm would not commit what the script has changed");
        } finally {
            rmSync(copy, { recursive: true, force: true });
        }
    });
});

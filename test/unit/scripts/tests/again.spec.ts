import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { withSecondTry } from "../../../../scripts/tests/again";
import { PROFILE_VARIABLE } from "../../../../scripts/tests/measure";
import { readProfile } from "../../../../scripts/tests/profile";

describe("the second try of failed tests", () => {
    const folder = mkdtempSync(join(tmpdir(), "again-"));
    const path = join(folder, "profile");
    const saved = { ...process.env };

    beforeEach(() => {
        writeFileSync(path, "");
        process.env[PROFILE_VARIABLE] = path;
        delete process.env["STRICT"];
    });
    afterEach(() => {
        for (const name of [PROFILE_VARIABLE, "STRICT"]) {
            process.env[name] = saved[name];
            if (saved[name] === undefined) {
                delete process.env[name];
            }
        }
    });
    after(() => rmSync(folder, { recursive: true }));

    /** Runs tests of which these files fail. Returns the result and the files of the second run. */
    async function tried(failing: readonly string[], passesThen: boolean): Promise<[boolean, string[]]> {
        const repeated: string[] = [];
        const passed = await withSecondTry(
            ["test/unit", "test/e2e"],
            async () => {
                for (const file of failing) {
                    appendFileSync(path, `${JSON.stringify({ kind: "failure", file, title: "t", what: "late" })}\n`);
                }
                return failing.length === 0;
            },
            async (files, env) => {
                assert.deepEqual(env, { TEST_AGAIN: "on" });
                repeated.push(...files);
                return passesThen;
            },
        );
        return [passed, repeated];
    }

    it("is not made if all pass", async () => assert.deepEqual(await tried([], true), [true, []]));

    it("decides for one or two files of the suite", async () => {
        const files = ["test/unit/a.spec.ts", "test/e2e/b.spec.ts"];
        assert.deepEqual(await tried(files, false), [false, files]);
        writeFileSync(path, "");
        assert.deepEqual(await tried([...files, ...files], true), [true, files]);
        assert.deepEqual(readProfile(path).failures, []);
    });

    it("is not made for three files", async () => {
        const files = ["test/e2e/a.spec.ts", "test/e2e/b.spec.ts", "test/e2e/c.spec.ts"];
        assert.deepEqual(await tried(files, true), [false, []]);
    });

    it("is not made if something else failed, or with STRICT=on", async () => {
        for (const other of ["test/model/a.spec.ts", ""]) {
            writeFileSync(path, "");
            assert.deepEqual(await tried(["test/e2e/b.spec.ts", other], true), [false, []]);
        }
        writeFileSync(path, "");
        process.env["STRICT"] = "on";
        assert.deepEqual(await tried(["test/unit/a.spec.ts"], true), [false, []]);
    });
});

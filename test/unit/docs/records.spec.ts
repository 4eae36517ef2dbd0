import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "../../..");

describe("docs/records.md", () => {
    const { types } = JSON.parse(readFileSync(join(ROOT, "plugin/schema.json"), "utf8"));
    const page = readFileSync(join(ROOT, "docs/records.md"), "utf8");
    const sectionOf = (title: string) => page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
    const rows = sectionOf("Fields").match(/^\| `.*$/gm) ?? [];
    const fieldsOf = (type: string) => Object.keys(types[`flux-minicluster:index:${type}`].properties);

    it("has a row for each field of a record, and no other", () => {
        const named = rows.flatMap((row) =>
            [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name),
        );
        assert.deepEqual(named.sort(), fieldsOf("RunRecord").sort());
    });

    it("names each field of a rank", () => {
        const row = rows.find((one) => one.startsWith("| `ranks`")) ?? "";
        assert.deepEqual(
            fieldsOf("RecordedRank").filter((field) => !row.includes(`\`${field}\``)),
            [],
        );
    });
});

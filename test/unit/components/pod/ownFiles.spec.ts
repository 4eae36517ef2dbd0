import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ANNOTATIONS } from "../../../../provider/contract/labels";
import { ATTEMPT_ENVIRONMENT } from "../../../../components/features/attempts";

const ROOT = join(__dirname, "../../../..");

/** The texts of all programs that run in pods. */
function programs(): string[] {
    return ["components", "provider"].flatMap((folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
            .filter((file) => /\.(sh|py)$/.test(file))
            .map((file) => readFileSync(join(ROOT, folder, file), "utf8")),
    );
}

function all(pattern: RegExp): string[] {
    const found = programs().flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name));
    return [...new Set(found)].sort();
}

describe("the section on files and names in docs/security.md", () => {
    const page = readFileSync(join(ROOT, "docs/security.md"), "utf8");
    const section = /^## Files and names in a pod$[^]*?(?=^## )/m.exec(page)?.[0] ?? "";
    const assertNamed = (names: readonly string[]) =>
        assert.deepEqual(
            names.filter((name) => !new RegExp(`(?<![\\w.])${name.replaceAll(".", "\\.")}(?![\\w])`).test(section)),
            [],
        );

    it("has each file and each folder that programs of the pods use in /run/flux", () => {
        const words = all(/\$(?:MINICLUSTER_RUN|mc_run)"?\/(\{[^}]+\}|[\w.]+)/g);
        const names = words.flatMap((word) => word.replace(/[{}]/g, "").split(","));
        assert(names.length > 25, names.join(" "));
        // paths.env.new becomes paths.env.
        assertNamed(names.map((name) => name.replace(/\.new$/, "")));
        assertNamed(all(/is_there\("([\w.]+)"\)/g));
    });

    it("has each report of the scripts", () => {
        const names = all(/^\s*(?:\S+ && )?(?:report|record) ([a-z]+)/gm);
        assert.deepEqual(names, ["attempts", "ended", "error", "quorum", "restarted", "started"]);
        assertNamed(names);
    });

    it("has the variables of attempts and the annotations of the Job", () => {
        assertNamed(Object.values(ATTEMPT_ENVIRONMENT));
        const names = Object.values(ANNOTATIONS).map((name) => name.replace("flux-minicluster/", ""));
        assertNamed(names);
    });
});

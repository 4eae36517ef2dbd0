import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";

import { root } from "../../../../scripts/local/paths";

interface Job {
    readonly permissions: Readonly<Record<string, string>>;
    readonly environment?: string;
    readonly "timeout-minutes"?: number;
    readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

const text = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
const workflow = parse(text) as { on: object; permissions: object; jobs: Readonly<Record<string, Job>> };

describe("the workflow of a release", () => {
    it("pins each action by a commit, beside the tag that had it", () => {
        const uses = text.split("\n").filter((line) => /^\s*(- )?uses:/.test(line));
        assert(uses.length > 5);
        for (const line of uses) {
            assert.match(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
        }
    });

    it("pins the same action by the same commit everywhere", () => {
        const pins = new Set([...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action));
        const names = [...pins].map((pin) => pin.split("@")[0]);
        assert.equal(new Set(names).size, names.length, [...pins].join(" "));
    });

    it("runs for tags only", () => assert.deepEqual(workflow.on, { push: { tags: ["v*"] } }));

    it("gives only the job that publishes rights to write, behind the environment that has reviewers", () => {
        assert.deepEqual(workflow.permissions, {});
        const { build, publish, test } = workflow.jobs;
        assert.deepEqual([test.permissions, build.permissions], [{ contents: "read" }, { contents: "read" }]);
        assert.deepEqual(publish.permissions, { contents: "write", "id-token": "write", attestations: "write" });
        assert.equal(publish.environment, "release");
    });

    it("takes no value of the event into a script, and stores no token", () => {
        const scripts = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
        assert.deepEqual(
            scripts.filter((script) => script.includes("${{")),
            [],
        );
        assert.doesNotMatch(text, /secrets\./);
    });

    it("publishes what the dry run has built for this tag", () => {
        const scripts = (job: string) => workflow.jobs[job].steps.flatMap(({ run }) => run ?? []).join("\n");
        assert.match(scripts("build"), /^make release-dry-run$/m);
        assert.match(text, /RELEASE: \$\{\{ github\.ref_name \}\}/);
        assert.match(text, /path: scripts\/local\/state\/release\/artifacts\//);
        for (const command of ["npm publish ./release/", "twine upload", "sha256sum --check SHA256SUMS"]) {
            assert(scripts("publish").includes(command), command);
        }
    });
});

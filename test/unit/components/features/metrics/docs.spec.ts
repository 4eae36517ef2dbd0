import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { scriptFile } from "../../../support/scriptFile";

const DOCS = join(__dirname, "../../../../../docs");

const ROWS = `
import sys
sys.path.insert(0, ${JSON.stringify(dirname(scriptFile("metrics_text.py")))})
from metrics_text import COUNTER, FAMILIES
for family in FAMILIES:
    name = family.name + ("_total" if family.kind == COUNTER else "")
    label = "\`" + family.label + "\`" if family.label else ""
    print("| \`%s\` | %s | %s | %s |" % (name, family.kind, label, family.text))
`;

describe("docs/metrics.md", () => {
    const page = readFileSync(join(DOCS, "metrics.md"), "utf8");

    it("has the metrics of the server in its table", () => {
        const { status, stderr, stdout } = spawnSync("python3", ["-B", "-c", ROWS], { encoding: "utf8" });
        assert.equal(status, 0, stderr);
        assert.equal(/\| metric \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(page)?.[1], stdout);
    });

    it("has the alerts of the rules", () => {
        const rules = readFileSync(join(DOCS, "metrics/alerts.yaml"), "utf8");
        const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
        assert.deepEqual(
            [...page.matchAll(/^\| `(MiniCluster\w+)`/gm)].map(([, name]) => name),
            alerts,
        );
    });
});

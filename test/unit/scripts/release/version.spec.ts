import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../../../scripts/local/paths";
import { CHANGELOG, MENTIONS, versionIn, withRelease, withVersion } from "../../../../scripts/release/version";

const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("the version", () => {
    const version = versionIn("package.json");

    it("is the same in the package, its lock file and the plugin with its SDKs", () => {
        assert.deepEqual(["package-lock.json", "plugin/schema.json"].map(versionIn), [version, version]);
    });

    it("is the same in each template and page that names it", () => {
        for (const file of MENTIONS) {
            assert.equal(withVersion(read(file), version), read(file), file);
            assert.notEqual(withVersion(read(file), "9.9.9"), read(file), `${file} doesn't name the version`);
        }
    });

    it("is raised in all forms, and in no version of another package", () => {
        assert.equal(
            withVersion(
                'npx flux-minicluster@0.2.0, "flux-minicluster": "^0.2.0", "@pulumi/pulumi": "^3.216.0", ' +
                    "pulumi>=3.231.0,<4, pulumi-flux-minicluster>=0.2.0,<0.3, plugin-flux-minicluster-v0.2.0-linux",
                "0.10.1",
            ),
            'npx flux-minicluster@0.10.1, "flux-minicluster": "^0.10.1", "@pulumi/pulumi": "^3.216.0", ' +
                "pulumi>=3.231.0,<4, pulumi-flux-minicluster>=0.10.1,<0.11, plugin-flux-minicluster-v0.10.1-linux",
        );
        assert.equal(withVersion("flux-minicluster>=0.2.0,<0.3", "1.4.0"), "flux-minicluster>=1.4.0,<2.0");
    });
});

describe("the changelog of a release", () => {
    it("gets a section with the date, above which changes can be added", () => {
        assert.equal(
            withRelease(
                "# Changelog\n\n## [Unreleased]: 0.2.0\n\n- A.\n\n## [0.1.0] - 2025-01-01\n",
                "0.2.0",
                "2026-12-01",
            ),
            "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n- A.\n\n## [0.1.0] - 2025-01-01\n",
        );
    });

    it("is refused without changes", () => {
        const message = `${CHANGELOG}: the section [Unreleased] is missing or empty. Describe the changes of 0.3.0 in it.`;
        for (const text of ["# Changelog\n", "## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n- A.\n"]) {
            assert.throws(() => withRelease(text, "0.3.0", "2027-01-01"), { message });
        }
    });

    it("can be made of today's", () => {
        assert.match(withRelease(read(CHANGELOG), "9.9.9", "2027-01-01"), /^## \[9\.9\.9\] - 2027-01-01\n/m);
    });
});

import assert from "node:assert/strict";

import {
    ADDRESSES,
    type Addresses,
    goModule,
    missing,
    npmFields,
    schemaFields,
} from "../../../../scripts/release/addresses";
import { obstacles } from "../../../../scripts/release/readiness";

const KNOWN: Addresses = {
    publisher: "Example",
    repository: "https://git.example/flux/minicluster",
    homepage: "https://docs.example/",
    pluginDownload: "https://downloads.example/v${VERSION}",
    logo: "https://docs.example/logo.png",
};
const NONE = Object.fromEntries(Object.keys(KNOWN).map((name) => [name, ""])) as Addresses;

describe("the addresses of a release", () => {
    it("are web addresses, or empty", () => {
        const { publisher: _, ...addresses } = ADDRESSES;
        for (const address of Object.values(addresses)) {
            assert.match(address, /^$|^(https|github):\/\//);
        }
    });

    it("are left out of the schema and of package.json where they are empty", () => {
        assert.deepEqual([schemaFields(NONE), npmFields(NONE)], [{}, {}]);
        assert.equal(goModule(NONE), "flux-minicluster.local/sdk/go/fluxminicluster");
    });

    it("give the fields of the schema and of package.json, and the path of the Go module", () => {
        assert.deepEqual(schemaFields(KNOWN), {
            publisher: "Example",
            repository: "https://git.example/flux/minicluster",
            homepage: "https://docs.example/",
            pluginDownloadURL: "https://downloads.example/v${VERSION}",
            logoUrl: "https://docs.example/logo.png",
        });
        assert.deepEqual(npmFields(KNOWN), {
            homepage: "https://docs.example/",
            repository: "git+https://git.example/flux/minicluster.git",
            bugs: "https://git.example/flux/minicluster/issues",
        });
        assert.equal(goModule(KNOWN), "git.example/flux/minicluster/sdk/go/fluxminicluster");
    });
});

describe("a release", () => {
    const importers = { "main.go": `import "${goModule(KNOWN)}"` };
    const changelog = "# Changelog\n\n## [0.3.0] - 2026-12-01\n";
    const ready = { addresses: KNOWN, version: "0.3.0", changelog, importers };

    it("has no obstacles if all is known", () => {
        assert.deepEqual(obstacles("v0.3.0", ready), []);
    });

    it("is refused while an address is empty", () => {
        assert.deepEqual(missing({ ...KNOWN, logo: "" }), ["logo"]);
        assert.deepEqual(
            obstacles("v0.3.0", { ...ready, importers: {}, addresses: { ...KNOWN, repository: "", logo: "" } }),
            [
                "ADDRESSES.repository in scripts/release/addresses.ts is empty; fill it in.",
                "ADDRESSES.logo in scripts/release/addresses.ts is empty; fill it in.",
            ],
        );
    });

    it("is refused while a program imports another module than its own", () => {
        assert.deepEqual(obstacles("v0.3.0", { ...ready, importers: { "main.go": 'import "elsewhere"' } }), [
            'main.go doesn\'t import "git.example/flux/minicluster/sdk/go/fluxminicluster"; correct it there.',
        ]);
    });

    it("is refused if the tag or the changelog is of another version", () => {
        assert.deepEqual(obstacles("v0.4.0", ready), [
            "The tag is v0.4.0; package.json has version 0.3.0. Run npm version.",
        ]);
        assert.deepEqual(obstacles("v0.3.0", { ...ready, changelog: "# Changelog\n\n## [Unreleased]\n" }), [
            "CHANGELOG.md has no section ## [0.3.0] - DATE. Run npm version 0.3.0 --allow-same-version.",
        ]);
    });
});

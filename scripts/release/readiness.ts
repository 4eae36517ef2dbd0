import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../local/paths";
import { type Addresses, goModule, missing } from "./addresses";
import { CHANGELOG, headingOf, versionIn } from "./version";

/** What a release needs and only its owner can give. */
export interface Readiness {
    readonly addresses: Addresses;
    readonly version: string;
    readonly changelog: string;
    /** The texts of the files that import the module of the SDK for Go. */
    readonly importers: Readonly<Record<string, string>>;
}

const IMPORTERS = [
    "docs/_index.md",
    "docs/languages.md",
    "examples/go/quickstart/main.go",
    "examples/go/workflow/main.go",
];

export function readiness(addresses: Addresses): Readiness {
    return {
        addresses,
        version: versionIn("package.json"),
        changelog: read(CHANGELOG),
        importers: Object.fromEntries(IMPORTERS.map((file) => [file, read(file)])),
    };
}

function read(file: string): string {
    return readFileSync(join(root, file), "utf8");
}

/** Why this tag can't be released; empty if it can. */
export function obstacles(tag: string, { addresses, changelog, importers, version }: Readiness): string[] {
    const empty = missing(addresses).map(
        (name) => `ADDRESSES.${name} in scripts/release/addresses.ts is empty; fill it in.`,
    );
    const wrong =
        tag === `v${version}` ? [] : [`The tag is ${tag}; package.json has version ${version}. Run npm version.`];
    const undated = changelog.includes(`\n${headingOf(version)}`)
        ? []
        : [`${CHANGELOG} has no section ${headingOf(version)}DATE. Run npm version ${version} --allow-same-version.`];
    const go = `"${goModule(addresses)}"`;
    const others = Object.keys(importers).filter((file) => !importers[file]?.includes(go));
    return [...empty, ...wrong, ...undated, ...others.map((file) => `${file} doesn't import ${go}; correct it there.`)];
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../local/paths";
import { type Addresses, missing } from "./addresses";
import { CHANGELOG, headingOf, versionIn } from "./version";

/** What a release needs and only its owner can give. */
export interface Readiness {
    readonly addresses: Addresses;
    readonly version: string;
    readonly changelog: string;
}

export function readiness(addresses: Addresses): Readiness {
    return {
        addresses,
        version: versionIn("package.json"),
        changelog: readFileSync(join(root, CHANGELOG), "utf8"),
    };
}

/** Why this tag can't be released; empty if it can. */
export function obstacles(tag: string, { addresses, changelog, version }: Readiness): string[] {
    const empty = missing(addresses).map(
        (name) => `ADDRESSES.${name} in scripts/release/addresses.ts is empty; fill it in.`,
    );
    const wrong =
        tag === `v${version}` ? [] : [`The tag is ${tag}; package.json has version ${version}. Run npm version.`];
    const undated = changelog.includes(`\n${headingOf(version)}`)
        ? []
        : [`${CHANGELOG} has no section ${headingOf(version)}DATE. Run npm version ${version} --allow-same-version.`];
    return [...empty, ...wrong, ...undated];
}

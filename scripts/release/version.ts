// npm runs this in `npm version`, when package.json has the new version: the plugin, the SDKs, the templates and the docs get
// the same one.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../local/paths";

/** Files that name the version, beside package.json and those that `npm run generate` writes. */
export const MENTIONS = [
    "docs/command-line.md",
    "docs/installation-configuration.md",
    "templates/python/requirements.txt",
    "templates/typescript/package.json",
];

export const CHANGELOG = "CHANGELOG.md";

const MENTION = /(flux-minicluster(?:@|": "\^|>=| |-v))\d+\.\d+\.\d+(,<\d+\.\d+)?/g;

/** A text that names another version of the package. */
export function withVersion(text: string, version: string): string {
    return text.replaceAll(MENTION, (_, before: string, limit?: string) => {
        return `${before}${version}${limit === undefined ? "" : `,<${nextMinor(version)}`}`;
    });
}

/** Before 1.0, a minor version may change what programs rely on. */
function nextMinor(version: string): string {
    const [major, minor] = version.split(".").map(Number);
    return major === 0 ? `0.${minor + 1}` : `${major + 1}.0`;
}

/** The changelog whose unreleased section has become that of a version. */
export function withRelease(changelog: string, version: string, date: string): string {
    const [, section] = /^## \[Unreleased\].*\n([\s\S]*?)(?=^## \[|$(?![\s\S]))/m.exec(changelog) ?? [];
    if (section === undefined || section.trim() === "") {
        throw new Error(
            `${CHANGELOG}: the section [Unreleased] is missing or empty. Describe the changes of ${version} in it.`,
        );
    }
    return changelog.replace(/^## \[Unreleased\].*$/m, `## [Unreleased]\n\n${headingOf(version)}${date}`);
}

export const headingOf = (version: string): string => `## [${version}] - `;

/** The version of package.json, or of another file of npm. */
export function versionIn(file: string): string {
    return (JSON.parse(readFileSync(join(root, file), "utf8")) as { version: string }).version;
}

function change(file: string, edit: (text: string) => string): void {
    const path = join(root, file);
    writeFileSync(path, edit(readFileSync(path, "utf8")));
}

if (require.main === module) {
    const version = versionIn("package.json");
    MENTIONS.forEach((file) => change(file, (text) => withVersion(text, version)));
    change(CHANGELOG, (text) => withRelease(text, version, new Date().toISOString().slice(0, 10)));
}

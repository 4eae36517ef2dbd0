// The licences of packages that files of this package contain.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";

/** Licences that don't require a copy of their text. */
const WITHOUT_TEXT = ["0BSD", "CC0-1.0", "Unlicense"];

/** Packages that don't contain their dependencies: what a bundle uses of these is among its files. */
const WITHOUT_DEPENDENCIES = ["node_modules/@pulumi/pulumi"];

/**
 * The folders of all packages with these files. Some packages contain their own dependencies; without `withContained` these
 * are left out.
 */
export function packagesOf(files, withContained = true) {
    const used = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
    const whole = [...used].filter((folder) => !WITHOUT_DEPENDENCIES.includes(folder));
    const contained = withContained ? whole.flatMap(dependenciesOf) : [];
    const folders = [
        ...used,
        ...contained.filter((folder) => existsSync(folder) && !folder.startsWith("node_modules/@types/")),
    ];
    return [...new Set(folders)].sort().map((folder) => ({ ...manifest(folder), folder }));
}

/** The licences of packages, with their texts. */
export function licenses(packages) {
    return describe(packages.map(license));
}

/** Each text once, after the packages that have it: most copies of the Apache License are the same. */
function describe(packages) {
    const byText = new Map();
    for (const { texts, title } of packages) {
        for (const text of texts.length === 0 ? [""] : texts) {
            byText.set(text, [...(byText.get(text) ?? []), title]);
        }
    }
    return [...byText].map(([text, titles]) => `${titles.join("\n")}\n\n${text}`.trim()).join("\n\n");
}

function dependenciesOf(folder) {
    return Object.keys(manifest(folder).dependencies ?? {}).map((name) => `node_modules/${name}`);
}

function license({ folder, license: kind, name, version }) {
    const files = readdirSync(folder, { recursive: true }).filter((file) => !file.includes("node_modules/"));
    const texts = files.filter(
        (file) =>
            /(^|\/)(licen[cs]e|notice|copying)(\.(md|txt))?$/i.test(file) && statSync(`${folder}/${file}`).isFile(),
    );
    if (texts.length === 0 && !WITHOUT_TEXT.includes(kind)) {
        throw new Error(`${folder} (${kind}) has no text of its licence, so the package can't contain it.`);
    }
    return {
        title: `${name} ${version}, ${kind}`,
        texts: texts.map((file) => readFileSync(`${folder}/${file}`, "utf8").trim()),
    };
}

function manifest(folder) {
    return JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
}

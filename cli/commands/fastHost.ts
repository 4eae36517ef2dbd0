import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from "yaml";

import type { Arguments } from "../arguments";
import { UsageError } from "../usage";

/** Pulumi's name for the plugin that runs dynamic resources of TypeScript programs. */
const PLUGIN = "pulumi-nodejs";
const PROVIDERS = ["plugins", "providers"];
const PACKAGE = "node_modules/flux-minicluster";
const PLUGIN_FOLDER = "dist/provider/host/plugin";

/** Writes the lines for the fast host into Pulumi.yaml, or removes them. */
export async function fastHost({ words }: Arguments): Promise<number> {
    const [wanted, ...rest] = words;
    if ((wanted !== "on" && wanted !== "off") || rest.length > 0) {
        throw new UsageError("fast-host needs on or off.");
    }
    const file = findProject(process.cwd());
    const project = parseDocument(readFileSync(file, "utf8"));
    requireNode(project, file);
    const changed = wanted === "on" ? turnOn(project, file) : turnOff(project);
    if (changed) {
        writeFileSync(file, project.toString({ lineWidth: 0 }));
    }
    process.stdout.write(`The fast host is ${changed ? "" : "already "}${wanted} in ${file}.\n`);
    return 0;
}

/** Pulumi looks for its project file in the folder and then in those above it. */
function findProject(folder: string): string {
    const files = above(folder).flatMap((parent) => ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(parent, name)));
    const file = files.find(existsSync);
    if (file === undefined) {
        throw new Error("there is no Pulumi.yaml in this folder or in one above it. Run this in a Pulumi project.");
    }
    return file;
}

function requireNode(project: Document, file: string): void {
    const [error] = project.errors;
    if (error !== undefined) {
        throw new Error(`${file} is no valid YAML: ${error.message}`);
    }
    const runtime = project.getIn(["runtime", "name"]) ?? project.get("runtime");
    if (runtime !== "nodejs") {
        throw new Error(
            `${file} has runtime ${String(runtime)}. The fast host is only for programs with runtime nodejs.`,
        );
    }
}

function turnOn(project: Document, file: string): boolean {
    const path = pluginFolder(project, file);
    const present = pluginOf(project);
    if (present === undefined) {
        const providers = project.getIn(PROVIDERS);
        if (isSeq(providers)) {
            providers.add(project.createNode({ name: PLUGIN, path }));
        } else {
            if (!isMap(project.get("plugins"))) {
                project.delete("plugins");
            }
            project.setIn(PROVIDERS, project.createNode([{ name: PLUGIN, path }]));
        }
        return true;
    }
    if (present.get("path") === path) {
        return false;
    }
    if (!isOurs(present)) {
        const other = `${file} already has another plugin ${PLUGIN}: ${String(present.get("path"))}.`;
        throw new Error(`${other} Remove it first.`);
    }
    present.set("path", path);
    return true;
}

function turnOff(project: Document): boolean {
    const present = pluginOf(project);
    if (present === undefined || !isOurs(present)) {
        return false;
    }
    const providers = project.getIn(PROVIDERS);
    if (isSeq(providers)) {
        providers.items = providers.items.filter((item) => item !== present);
        if (providers.items.length === 0) {
            project.deleteIn(PROVIDERS);
        }
    }
    const plugins = project.get("plugins");
    if (isMap(plugins) && plugins.items.length === 0) {
        project.delete("plugins");
    }
    return true;
}

function pluginOf(project: Document): YAMLMap | undefined {
    const providers = project.getIn(PROVIDERS);
    const items = isSeq(providers) ? providers.items.filter(isMap) : [];
    return items.find((item) => item.get("name") === PLUGIN);
}

function isOurs(plugin: YAMLMap): boolean {
    return String(plugin.get("path")).endsWith(`/${PLUGIN_FOLDER}`);
}

/** The plugin in the package that the program uses, relative to the project. */
function pluginFolder(project: Document, file: string): string {
    const folder = dirname(file);
    const main = resolve(folder, String(project.get("main") ?? "."));
    const found = above(main).find((parent) => existsSync(join(parent, PACKAGE)));
    if (found === undefined) {
        throw new Error(`flux-minicluster isn't installed in ${main}. Run npm install flux-minicluster there first.`);
    }
    // Not the target of a symbolic link: with pnpm, that is another folder for each version.
    return relative(folder, join(found, PACKAGE, PLUGIN_FOLDER)).replaceAll(sep, "/");
}

/** A folder and all folders above it. */
function above(folder: string): string[] {
    const parent = dirname(folder);
    return parent === folder ? [folder] : [folder, ...above(parent)];
}

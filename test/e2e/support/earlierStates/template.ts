import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";

import type { KubernetesObject } from "@kubernetes/client-node";

import { root } from "../../../../scripts/local/paths";
import type { StateResource } from "../checkpoint";
import { withoutMarks } from "./placeholders";

/** A state of a release with placeholders: `pulumi stack export --show-secrets`, without what `whole` restores. */
export interface Template {
    readonly resources: readonly StateResource[];
    readonly [field: string]: unknown;
}

/** Folder with one folder for each release, named by the release's commit. */
const FOLDER = join(root, "test", "states", "earlier");

/** Most characters of a line in a template. */
const WIDTH = 160;

export function releases(): string[] {
    return readdirSync(FOLDER).sort();
}

/** A template, or `texts`: the scripts in the ConfigMaps, by their names. */
export function read(release: string, name: string): any {
    return JSON.parse(readFileSync(join(FOLDER, release, `${name}.json`), "utf8"));
}

export function write(release: string, name: string, content: object): void {
    mkdirSync(join(FOLDER, release), { recursive: true });
    writeFileSync(join(FOLDER, release, `${name}.json`), `${print(content, "")}\n`);
}

/** JSON with each value on one line that fits there. */
function print(value: unknown, indent: string): string {
    const text = JSON.stringify(value);
    if (typeof value !== "object" || value === null || indent.length + text.length < WIDTH) {
        return text;
    }
    const of = (part: unknown) => print(part, `${indent} `);
    const [open, parts, close] = Array.isArray(value)
        ? ["[", value.map(of), "]"]
        : ["{", Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${of(part)}`), "}"];
    return `${open}\n${parts.map((part) => `${indent} ${part}`).join(",\n")}\n${indent}${close}`;
}

export function isKubernetes({ type }: StateResource): boolean {
    return type.startsWith("kubernetes:");
}

/** The fields of a resource that have data of the machine, or are made again when the template is loaded. */
const DROPPED = /^(created|modified|outputs|propertyDependencies|resourceHooks|sourcePosition|stackTrace)$/;

/** A resource of a template, with only those outputs that differ from its inputs. */
export function bare(resource: StateResource): StateResource {
    const { id, inputs = {}, outputs = {}, propertyDependencies: of } = resource;
    return {
        ...(Object.fromEntries(Object.entries(resource).filter(([field]) => !DROPPED.test(field))) as any),
        outputs: id === undefined || isKubernetes(resource) ? undefined : differing(outputs, inputs),
        propertyDependencies: of && differing(of, Object.fromEntries(Object.keys(of).map((name) => [name, []]))),
    };
}

function differing(of: object, from: Readonly<Record<string, unknown>>) {
    return Object.fromEntries(Object.entries(of).filter(([key, value]) => !isDeepStrictEqual(value, from[key])));
}

/** The reverse of `bare`, with an object of the Kubernetes provider as it is in the cluster. */
export function whole(resource: StateResource, live: KubernetesObject | undefined): StateResource {
    const { inputs, outputs } = resource;
    const ofProvider = live && {
        ...live,
        __initialApiVersion: live.apiVersion,
        __fieldManager: MANAGER,
        __inputs: inputs,
    };
    return { ...resource, outputs: ofProvider ?? { ...inputs, ...outputs } };
}

/** Field manager of the objects of the Kubernetes provider. */
export const MANAGER = "pulumi-kubernetes-earlier";

/** Kind and name of an object, such as `Service/hello-lead`. */
export function referenceOf({ kind, metadata }: KubernetesObject): string {
    return `${kind}/${metadata?.name}`;
}

/** The plain inputs or outputs of the resource whose URN ends with this text. Empty if there is none. */
export function plain({ resources }: Template, what: "inputs" | "outputs", suffix: string): any {
    return withoutMarks(resources.find(({ urn }) => urn.endsWith(suffix))?.[what] ?? {});
}

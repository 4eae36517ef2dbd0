import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { KubernetesObject, V1Job } from "@kubernetes/client-node";

import { root } from "../../../../scripts/local/paths";
import type { StateResource } from "../checkpoint";
import { withoutMarks } from "./placeholders";

/** A state of a release with placeholders, and the objects that are not in the state. */
export interface Template {
    /** Output of `pulumi stack export --show-secrets`. */
    readonly deployment: { readonly resources: StateResource[]; readonly [field: string]: unknown };
    /** The Job as it was created. All other objects are in the state. */
    readonly job: V1Job;
    /** Words of `flux submit` for the job in Flux's queue, without those that the image's settings add. */
    readonly submitted?: readonly string[];
}

/** Folder with one folder for each release, named by the release's commit. */
const FOLDER = join(root, "test", "states", "earlier");

export function releases(): string[] {
    return readdirSync(FOLDER).sort();
}

export function readTemplate(release: string, name: string): Template {
    return JSON.parse(readFileSync(join(FOLDER, release, `${name}.json`), "utf8")) as Template;
}

/** Texts that all templates of a release share: the scripts in its ConfigMaps. */
export function readTexts(release: string): Record<string, string> {
    return JSON.parse(readFileSync(join(FOLDER, release, "texts.json"), "utf8")) as Record<string, string>;
}

export function write(release: string, name: string, content: object): void {
    writeFileSync(join(FOLDER, release, `${name}.json`), `${JSON.stringify(content, undefined, 1)}\n`);
}

/** The resources of the Kubernetes provider, in the order of the state. */
export function kubernetesResources({ deployment }: Pick<Template, "deployment">): StateResource[] {
    return deployment.resources.filter(({ type }) => type.startsWith("kubernetes:"));
}

/** Kind and name of an object, such as `Service/hello-lead`. */
export function referenceOf({ outputs }: StateResource): string {
    const { kind, metadata } = withoutMarks(outputs) as KubernetesObject;
    return `${kind}/${metadata?.name}`;
}

/** The resource, of one of the package's own types, whose URN ends with this text. */
export function ownResource({ deployment }: Pick<Template, "deployment">, suffix: string): StateResource | undefined {
    return deployment.resources.find(({ id, urn }) => id !== undefined && urn.endsWith(suffix));
}

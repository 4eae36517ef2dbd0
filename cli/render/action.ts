import { parse, stringify } from "yaml";

import type { KubernetesObject } from "../../provider/contract/object";
import type { Arguments } from "../definition/arguments";
import { programName } from "../definition/programName";
import { readInput } from "../terminal/input";
import { printJson } from "../terminal/terminal";
import { resourcesOf } from "./mocked";
import { objectsOf } from "./objects";
import { printedResources } from "./resources";
import { secretRecipe } from "./secretKeys";

/** Prints the Kubernetes objects of clusters, and how to make the Secrets that they need. */
export async function render({ options, words }: Arguments): Promise<number> {
    const hint = `render reads arguments or a preview: pulumi preview --json | ${programName()} render`;
    const document = read(await readInput(words, hint));
    const { cluster, namespace } = options as Record<string, string | undefined>;
    const resources =
        printedResources(document) ??
        (await resourcesOf(namespace === undefined ? document : { ...document, namespace }, cluster));
    const objects = objectsOf(resources);
    if (objects.length === 0) {
        throw new Error(
            "There is no MiniCluster in it. A preview has those that change; pulumi stack export has all that exist.",
        );
    }
    if (options.json) {
        printJson({ apiVersion: "v1", kind: "List", items: objects }, 2);
    } else {
        process.stdout.write(objects.map(textOf).join("---\n"));
    }
    return 0;
}

function read(text: string): KubernetesObject {
    const document: unknown = parse(text);
    if (typeof document !== "object" || document === null || Array.isArray(document)) {
        throw new Error("The text has no arguments: it must be a mapping in YAML or JSON, such as size: 4.");
    }
    return document;
}

function textOf(object: KubernetesObject): string {
    const recipe = object.kind === "Job" ? secretRecipe(object) : [];
    const comment = recipe.map((line) => `# ${line}\n`).join("");
    return comment + stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
}

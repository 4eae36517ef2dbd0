import type { Json } from "../../provider/contract/object";
import { fitSpec, fitText } from "./fit";
import { moved } from "./moved";
import { type Fields, Reader, type Values } from "./reader";
import { warnOfRefusals } from "./preview";
import type { Version } from "./schema/fields";
import { readSpec } from "./spec";
import type { ReadDocument } from "./yaml/values";

/** A resource of the Flux Operator, as plain arguments. */
export interface PlainResource {
    readonly name: string;
    readonly args: Values;
    readonly warnings: readonly string[];
}

/** Reads one document of a MiniCluster. */
export function readDocument(document: ReadDocument, others: readonly ReadDocument[]): PlainResource {
    const reader = new Reader(document);
    for (const { lines, path } of document.repeated) {
        reader.warn(
            path,
            `is given in the lines ${lines.join(" and ")}, of which the last one counts. Remove the other.`,
        );
    }
    for (const { path, source } of document.renamed) {
        reader.warn(
            path,
            `is written ${source} in the file, which is no text in YAML. Quote it, if it should be the text.`,
        );
    }
    const { apiVersion, kind: _, metadata, spec, status: __, ...rest } = document.value as Fields;
    for (const name of Object.keys(rest)) {
        reader.warn(name, "is no field of a MiniCluster, so it is ignored. Remove it.");
    }
    others.forEach((other) => warnOfOther(reader, other));
    const version = readVersion(reader, apiVersion);
    const { name, namespace } = readMetadata(reader, metadata ?? {});
    const args = readSpec(reader, fitSpec(reader, moved(reader, spec), version), name, version);
    const all = { ...(namespace === undefined ? {} : { namespace }), ...args };
    warnOfRefusals(reader, name, all);
    return { name, args: all, warnings: reader.warnings };
}

const GROUP = "flux-framework.org";

function readVersion(reader: Reader, apiVersion: unknown): Version {
    if (apiVersion === `${GROUP}/v1alpha1`) {
        return "v1alpha1";
    }
    if (apiVersion !== `${GROUP}/v1alpha2`) {
        const found = apiVersion === undefined ? "is missing" : `is "${String(apiVersion)}"`;
        reader.warn(
            "apiVersion",
            `${found}; the resource is read as ${GROUP}/v1alpha2. Give the version of the operator.`,
        );
    }
    return "v1alpha2";
}

/** Fields that the API server sets, or that kubectl keeps for itself. */
const OF_THE_SERVER = ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];
const APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

function readMetadata(reader: Reader, metadata: Fields): { readonly name: string; readonly namespace?: string } {
    const { annotations, generateName, labels, name, namespace, ...rest } = metadata;
    const text = (field: string, value: Json) => fitText(reader, `metadata.${field}`, value) || undefined;
    const inNamespace = text("namespace", namespace);
    for (const field of Object.keys(rest).filter((other) => !OF_THE_SERVER.includes(other))) {
        reader.warn(`metadata.${field}`, "is ignored: there is no resource of the operator any more. Remove it.");
    }
    const { [APPLIED]: _, ...kept } = (annotations ?? {}) as Fields;
    for (const [field, values] of Object.entries({ annotations: kept, labels: (labels ?? {}) as Fields })) {
        if (Object.keys(values).length > 0) {
            const reason = `are those of the operator's resource, which the operator gives to no other object.`;
            reader.warn(
                `metadata.${field}`,
                `${reason} If the Job and other objects should have them, give the argument ${field}.`,
            );
        }
    }
    const found = nameIn(reader, text("name", name), text("generateName", generateName));
    return inNamespace === undefined ? { name: found } : { name: found, namespace: inNamespace };
}

function nameIn(reader: Reader, name: string | undefined, generateName: string | undefined): string {
    if (name !== undefined) {
        return name;
    }
    const found = generateName ? generateName.replace(/[-.]+$/, "") : "flux-sample";
    const reason = generateName ? `is "${generateName}", which gets an end in Kubernetes` : "is missing";
    reader.warn(
        `metadata.${generateName ? "generateName" : "name"}`,
        `${reason}; the name is now "${found}". Give another name, if you like.`,
    );
    return found;
}

/** Another document in the text. */
function warnOfOther(reader: Reader, { line, value }: ReadDocument): void {
    const other = value as Fields;
    const name = (other.metadata as Fields | undefined)?.name;
    const shown = `${String(other.kind ?? "object without a kind")}${name === undefined ? "" : ` "${String(name)}"`}`;
    const cure =
        other.kind === "MiniCluster" ? "pass its document on its own." : "apply it yourself, or make it with Pulumi.";
    reader.warn(`documents (line ${line})`, `the ${shown} is not converted: ${cure}`);
}

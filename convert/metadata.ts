import { isOwn } from "../components/parts/metadata";
import { fitText } from "./schemaFit";
import type { Fields, Reader, Values } from "./reader";
import type { Json } from "../provider/contract/object";

/** Fields that the API server sets, or that kubectl keeps for itself. */
const OF_THE_SERVER = ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];
const APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** How warnings about metadata name things. */
export interface Names {
    /** The name of a cluster whose resource has none. */
    readonly default: string;
    /** Whose labels and annotations these are: `the operator's resource, which the operator gives to no other object`. */
    readonly owner: string;
    /** What doesn't exist any more: `there is no resource of the operator any more`. */
    readonly gone: string;
}

export interface Metadata {
    readonly name: string;
    readonly namespace?: string;
}

/** Reads the name and the namespace, and warns of all other metadata. */
export function readMetadata(reader: Reader, metadata: Fields, names: Names): Metadata {
    const { annotations, generateName, labels, name, namespace, ...rest } = metadata;
    const text = (field: string, value: Json) => fitText(reader, `metadata.${field}`, value) || undefined;
    const inNamespace = text("namespace", namespace);
    for (const field of Object.keys(rest).filter((other) => !OF_THE_SERVER.includes(other))) {
        reader.warn(`metadata.${field}`, `is ignored: ${names.gone}. Remove it.`);
    }
    const { [APPLIED]: _, ...kept } = (annotations ?? {}) as Fields;
    for (const [field, values] of Object.entries({ annotations: kept, labels: (labels ?? {}) as Fields })) {
        if (Object.keys(values).length > 0) {
            const cure = `If the Job and other objects should have them, give the argument ${field}.`;
            reader.warn(`metadata.${field}`, `are those of ${names.owner}. ${cure}`);
        }
    }
    const found = nameIn(reader, text("name", name), text("generateName", generateName), names.default);
    return inNamespace === undefined ? { name: found } : { name: found, namespace: inNamespace };
}

function nameIn(reader: Reader, name: string | undefined, generateName: string | undefined, otherwise: string): string {
    if (name !== undefined) {
        return name;
    }
    const found = generateName ? generateName.replace(/[-.]+$/, "") : otherwise;
    const reason = generateName ? `is "${generateName}", which gets an end in Kubernetes` : "is missing";
    reader.warn(
        `metadata.${generateName ? "generateName" : "name"}`,
        `${reason}; the name is now "${found}". Give another name, if you like.`,
    );
    return found;
}

/** The labels without those that MiniCluster sets itself; undefined if none is left. */
export function readLabels(reader: Reader, path: string, labels: Fields): Values | undefined {
    const names = Object.keys(labels);
    names
        .filter(isOwn)
        .forEach((name) =>
            reader.warn(`${path}.${name}`, "is ignored: MiniCluster sets it itself. Give another label."),
        );
    const others = names.filter((name) => !isOwn(name));
    return others.length > 0 ? Object.fromEntries(others.map((name) => [name, labels[name]])) : undefined;
}

/** The name of a container. `flux` and `flux-...` belong to the cluster; a container with such a name is renamed. */
export function freeName(reader: Reader, path: string, name: string): string {
    if (name !== "flux" && !name.startsWith("flux-")) {
        return name;
    }
    reader.warn(`${path}.name`, `is "${name}", but such names belong to the cluster; it is now "other-${name}".`);
    return `other-${name}`;
}

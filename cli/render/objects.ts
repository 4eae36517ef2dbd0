import { ANNOTATIONS } from "../../provider/contract/labels";
import { compact, type KubernetesObject } from "../../provider/contract/object";
import { tokensOf } from "../../provider/host/shimText";
import { isUnknown } from "../../provider/host/unknown";
import type { Resource } from "./resources";

/** What Pulumi prints in place of a secret value: in a preview, and as a field of one in a state. */
const SECRETS = { text: "[secret]", field: "4dabf18193072939515e22adb298388d" } as const;

/** True if a value, or any part of it, is a secret. */
function hasSecret(value: unknown): boolean {
    if (typeof value === "object" && value !== null) {
        return SECRETS.field in value || Object.values(value).some(hasSecret);
    }
    return value === SECRETS.text;
}

/** The objects, each in the namespace of its cluster's Job. A Job comes last, because its pods need the others. */
export function objectsOf(resources: readonly Resource[]): KubernetesObject[] {
    const all = resources.flatMap((resource) => manifestsIn(resource).map((object) => plain(resource, object)));
    const [jobs, others] = [all.filter(isJob), all.filter((object) => !isJob(object))];
    const namespaces = new Map(jobs.map(({ metadata }) => [metadata.labels?.[CLUSTER], metadata.namespace]));
    return [...others, ...jobs].map(({ apiVersion, kind, metadata, ...rest }) => {
        const namespace = namespaces.get(metadata.labels?.[CLUSTER]);
        return compact({ apiVersion, kind, metadata: compact({ namespace, ...metadata }), ...rest });
    });
}

const CLUSTER = "app.kubernetes.io/instance";

const isJob = ({ kind }: KubernetesObject): boolean => kind === "Job";

/** The objects that a resource makes. Those of other types make none, or nothing that can be known before. */
function manifestsIn({ inputs, type }: Resource): unknown[] {
    if (tokensOf("IndexedJob").includes(type)) {
        if (inputs.code !== undefined) {
            throw new Error(
                "A cluster with code can't be rendered: only an update packs its folder. Leave out code, and bring the " +
                    "files by an image, or by a ConfigMap in volumes.",
            );
        }
        return [inputs.files, inputs.manifest];
    }
    return type.startsWith("kubernetes:") ? [inputs] : [];
}

/** Annotations of a stack, which mean nothing without Pulumi. */
const OF_PULUMI: readonly string[] = [ANNOTATIONS.nonce, ANNOTATIONS.stack, "pulumi.com/skipAwait"];

/** The object without what Pulumi keeps of a stack, and a Secret without its content. */
function plain({ urn }: Resource, input: unknown): KubernetesObject {
    const name = urn.split("::").at(-1);
    const { __defaults: _, data, metadata = {}, stringData: _content, ...rest } = input as KubernetesObject;
    const { __defaults: __, annotations = {}, ...others } = metadata as KubernetesObject;
    const own = Object.entries(annotations as object).filter(([key]) => !OF_PULUMI.includes(key));
    const kept = own.length === 0 ? undefined : Object.fromEntries(own);
    const content = rest.kind === "Secret" ? undefined : data;
    const object = { ...rest, metadata: compact({ ...others, annotations: kept }), data: content };
    if (input === SECRETS.text || hasSecret(object)) {
        throw new Error(
            `${name} has a secret value, because an argument is a secret Output. Use environment for secrets.`,
        );
    }
    if (isUnknown(object)) {
        throw new Error(
            `${name} depends on a value that is known after an update. Render the output of pulumi stack export then.`,
        );
    }
    return object;
}

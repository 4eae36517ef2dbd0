import { namesOf } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
import { metadataOf } from "../parts/metadata";
import type { MiniClusterSpec } from "../spec";

/** The Secret without its content. */
export function secret(spec: MiniClusterSpec, namespace: string): KubernetesObject {
    const metadata = metadataOf(spec, namesOf(spec.name).secret, { namespace });
    return { apiVersion: "v1", kind: "Secret", metadata, immutable: true };
}

/** The Secret with these texts; undefined if there are none. */
export function withTexts(
    object: KubernetesObject,
    texts: Readonly<Record<string, string>>,
): KubernetesObject | undefined {
    return Object.keys(texts).length === 0 ? undefined : { ...object, stringData: texts };
}

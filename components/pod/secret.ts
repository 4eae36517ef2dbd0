import { namesOf } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
import { metadataOf } from "../parts/metadata";
import type { MiniClusterSpec } from "../spec";

/** The Secret with these texts; undefined if there are none. */
export function secret(
    spec: MiniClusterSpec,
    namespace: string,
    texts: Readonly<Record<string, string>>,
): KubernetesObject | undefined {
    const metadata = metadataOf(spec, namesOf(spec.name).secret, { namespace });
    return Object.keys(texts).length === 0
        ? undefined
        : { apiVersion: "v1", kind: "Secret", metadata, immutable: true, stringData: texts };
}

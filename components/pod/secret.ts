import { labelsOf, namesOf } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
import type { MiniClusterSpec } from "../spec";

/** The Secret with these texts; undefined where there are none. */
export function secret(
    spec: MiniClusterSpec,
    namespace: string,
    texts: Readonly<Record<string, string>>,
): KubernetesObject | undefined {
    const metadata = { name: namesOf(spec.name).secret, namespace, labels: labelsOf(spec.name) };
    return Object.keys(texts).length === 0
        ? undefined
        : { apiVersion: "v1", kind: "Secret", metadata, immutable: true, stringData: texts };
}

import { createHash } from "node:crypto";

import type { KubernetesObject } from "../../provider/contract/object";
import { FEATURES } from "../features";
import { metadataOf } from "../parts/metadata";
import type { MiniClusterSpec, Texts } from "../spec";
import { prepareScript } from "./prepare";

/** The ConfigMap's data: broker.toml, the scripts and the hooks. */
export function configFiles(spec: MiniClusterSpec): Texts {
    const files: Texts = Object.assign({}, prepareScript(spec), ...FEATURES.map((feature) => feature.files?.(spec)));
    return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The ConfigMap with the files. It is immutable, so that the kubelets don't have to watch it. */
export function configMap(
    spec: MiniClusterSpec,
    namespace: string,
    files: Readonly<Record<string, string>>,
): KubernetesObject {
    const metadata = metadataOf(spec, configName(spec.name, files), { namespace });
    return { apiVersion: "v1", kind: "ConfigMap", metadata, immutable: true, data: files };
}

/**
 * Version of the ConfigMap's layout, which is part of its name. In version 1 the ConfigMap was a resource of the
 * Kubernetes provider. Pulumi deletes that resource at the end of the first update without it, so a ConfigMap of
 * version 2 must not have the same name.
 */
const LAYOUT = 2;

/**
 * Name of the ConfigMap. It changes with the content, so that a pod always sees the content for which it was created.
 */
export function configName(cluster: string, files: Readonly<Record<string, string>>): string {
    const hash = createHash("sha256")
        .update(JSON.stringify([LAYOUT, Object.entries(files)]))
        .digest("hex");
    return `${cluster}-config-${hash.slice(0, 8)}`;
}

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

/** The ConfigMap with the files. The kubelets need not watch what can't change. */
export function configMap(
    spec: MiniClusterSpec,
    namespace: string,
    files: Readonly<Record<string, string>>,
): KubernetesObject {
    const metadata = metadataOf(spec, configName(spec.name, files), { namespace });
    return { apiVersion: "v1", kind: "ConfigMap", metadata, immutable: true, data: files };
}

/**
 * The layout of what a name stands for. Version 1 was a resource of the Kubernetes provider, which Pulumi deletes at the
 * end of the first update without it: no name of it may be in use by then.
 */
const LAYOUT = 2;

/** Name of the ConfigMap. It changes with the content, so that pods never see another content than they were made for. */
export function configName(cluster: string, files: Readonly<Record<string, string>>): string {
    const hash = createHash("sha256")
        .update(JSON.stringify([LAYOUT, Object.entries(files)]))
        .digest("hex");
    return `${cluster}-config-${hash.slice(0, 8)}`;
}

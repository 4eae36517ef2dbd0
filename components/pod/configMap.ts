import { configName } from "../../provider/contract/names";
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

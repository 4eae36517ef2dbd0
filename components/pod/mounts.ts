import { configName } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
import { BROKER_CONFIG_FILE, CONFIG_DIR, EXTRA_CONFIG_FILE, SCRIPTS_DIR } from "../parts/paths";
import { FEATURES } from "../features";
import type { Mount } from "../parts/mount";
import type { MiniClusterSpec, Texts } from "../spec";

/** Every mount of the Flux container. */
export function mounts(spec: MiniClusterSpec, files: Texts): Mount[] {
    return [
        ...configMounts(configName(spec.name, files), Object.keys(files)),
        ...FEATURES.flatMap((feature) => feature.mounts?.(spec) ?? []),
    ];
}

/**
 * The mounts of the ConfigMap: the configuration alone where Flux looks for it, and all files for the scripts.
 */
function configMounts(config: string, files: readonly string[]): Mount[] {
    const volume = (name: string, keys: KubernetesObject = {}) => ({
        name,
        configMap: { name: config, defaultMode: 0o444, ...keys },
    });
    const items = [BROKER_CONFIG_FILE, EXTRA_CONFIG_FILE]
        .filter((file) => files.includes(file))
        .map((file) => ({ key: file, path: file }));
    return [
        { mountPath: CONFIG_DIR, readOnly: true, volume: volume("flux-config", { items }) },
        { mountPath: SCRIPTS_DIR, readOnly: true, volume: volume("flux-scripts") },
    ];
}

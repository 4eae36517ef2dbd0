import { createHash } from "node:crypto";

import { brokerConfig } from "../flux/brokerConfig";
import { Keygen, Network } from "../args";
import { type OptionalScript, readScripts, RESTFUL_REQUIREMENTS, RESTFUL_SCRIPTS } from "../scripts";
import { preparedMounts } from "./prepare";
import { viewContainers } from "./view";
import type { KeySource, MiniClusterSpec } from "../spec";

/** Name of the broker's configuration in the ConfigMap. */
export const BROKER_CONFIG_FILE = "broker.toml";

/** The ConfigMap's data: broker.toml, the scripts and the hooks. */
export function configFiles(spec: MiniClusterSpec): Record<string, string> {
    const hooks = Object.entries(spec.hooks).map(([name, text]) => [`hook-${name}.sh`, text]);
    const files: Record<string, string> = {
        [BROKER_CONFIG_FILE]: brokerConfig(spec),
        ...readScripts(optionalScripts(spec)),
        ...(spec.restful?.requirements === undefined ? {} : { [RESTFUL_REQUIREMENTS]: spec.restful.requirements }),
        ...Object.fromEntries(hooks),
    };
    return Object.fromEntries(Object.entries<string>(files).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function optionalScripts(spec: MiniClusterSpec): OptionalScript[] {
    const scripts: Partial<Record<KeySource, OptionalScript[]>> = {
        [Keygen.InitContainer]: ["curve.py", "curve.sh"],
        [Keygen.Pod]: ["keygen.sh"],
    };
    return [
        ...(scripts[spec.key] ?? []),
        ...(spec.restful === undefined ? [] : RESTFUL_SCRIPTS),
        ...(spec.archive === undefined ? [] : (["archive.sh"] as const)),
        ...(spec.sidecars.some(({ leadOnly }) => leadOnly) ? (["sidecar.sh"] as const) : []),
        ...(spec.network === Network.Hosts ? (["hosts.py"] as const) : []),
        ...(viewContainers(spec, []).length > 0 ? (["view.sh"] as const) : []),
        ...(preparedMounts(spec).length > 0 ? (["prepare.sh"] as const) : []),
    ];
}

/**
 * Name of the ConfigMap. It changes with the content, so that pods never see another content than they were made for,
 * and Pulumi makes the new one before it touches the Job.
 */
export function configName(cluster: string, files: Readonly<Record<string, string>>): string {
    const hash = createHash("sha256").update(JSON.stringify(Object.entries(files))).digest("hex");
    return `${cluster}-config-${hash.slice(0, 8)}`;
}

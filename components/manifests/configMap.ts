import { createHash } from "node:crypto";

import { brokerConfig } from "../flux/brokerConfig";
import { Keygen, Network } from "../args";
import { type OptionalScript, readScripts, RESTFUL_REQUIREMENTS, RESTFUL_SCRIPTS } from "../scripts";
import { homeUser } from "./environment";
import { preparedMounts } from "./prepare";
import { viewContainers } from "./view";
import type { MiniClusterSpec } from "../spec";

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
    const table: [boolean, readonly OptionalScript[]][] = [
        [spec.key === Keygen.InitContainer, ["curve.py", "curve.sh"]],
        [spec.key === Keygen.Pod, ["keygen.sh"]],
        [spec.mode === "persistent", ["leave.sh", "rejoin.sh", "stay.sh"]],
        [spec.restful !== undefined, RESTFUL_SCRIPTS],
        [spec.archive !== undefined, ["archive.py", "archive.sh"]],
        [spec.munge !== undefined, ["munge.sh"]],
        [spec.sidecars.some(({ leadOnly }) => leadOnly), ["sidecar.sh"]],
        [homeUser(spec) !== undefined, ["home.sh"]],
        [spec.network === Network.Hosts, ["hosts.py", "names.sh"]],
        [viewContainers(spec, []).length > 0, ["view.sh"]],
        [preparedMounts(spec).length > 0, ["prepare.sh"]],
    ];
    return table.flatMap(([isNeeded, scripts]) => (isNeeded ? scripts : []));
}

/**
 * Name of the ConfigMap. It changes with the content, so that pods never see another content than they were made for,
 * and Pulumi makes the new one before it touches the Job.
 */
export function configName(cluster: string, files: Readonly<Record<string, string>>): string {
    const hash = createHash("sha256").update(JSON.stringify(Object.entries(files))).digest("hex");
    return `${cluster}-config-${hash.slice(0, 8)}`;
}

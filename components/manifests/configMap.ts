import { createHash } from "node:crypto";

import { brokerConfig } from "../flux/brokerConfig";
import { Keygen, Network } from "../args";
import { type OptionalScript, readScripts, RESTFUL_REQUIREMENTS, RESTFUL_SCRIPTS } from "../scripts";
import { homeUser } from "./environment";
import { labelsOf } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
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

/** The ConfigMap with the files. The kubelets need not watch what can't change. */
export function configMap(spec: MiniClusterSpec, namespace: string, files: Readonly<Record<string, string>>): KubernetesObject {
    const metadata = { name: configName(spec.name, files), namespace, labels: labelsOf(spec.name) };
    return { apiVersion: "v1", kind: "ConfigMap", metadata, immutable: true, data: files };
}

/**
 * The layout of what a name stands for. Version 1 was a resource of the Kubernetes provider, which Pulumi deletes at the
 * end of the first update without it: no name of it may be in use by then.
 */
const LAYOUT = 2;

/** Name of the ConfigMap. It changes with the content, so that pods never see another content than they were made for. */
export function configName(cluster: string, files: Readonly<Record<string, string>>): string {
    const hash = createHash("sha256").update(JSON.stringify([LAYOUT, Object.entries(files)])).digest("hex");
    return `${cluster}-config-${hash.slice(0, 8)}`;
}

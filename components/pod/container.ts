import { FLUX_CONTAINER } from "../../provider/contract/names";
import { compact, type KubernetesObject } from "../../provider/contract/object";
import { FEATURES } from "../features";
import { type Mount, volumeMounts } from "../parts/mount";
import type { MiniClusterSpec } from "../spec";
import { environment } from "./environment";

/** The container that runs the broker. */
export function fluxContainer(spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject {
    const ports = FEATURES.flatMap((feature) => feature.ports?.(spec) ?? []);
    return compact({
        ...Object.assign({}, ...FEATURES.map((feature) => feature.container?.(spec))),
        name: FLUX_CONTAINER,
        env: environment(spec),
        ports: ports.map(({ name, port }) => ({ name, containerPort: port, protocol: "TCP" })),
        volumeMounts: volumeMounts(mounts),
    });
}

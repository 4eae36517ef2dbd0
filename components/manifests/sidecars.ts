import { FLUX_URI, MUNGE_SOCKET_DIR, RUN_DIR, SCRIPTS_DIR } from "../../provider/contract/paths";
import type { MiniClusterSpec, SidecarSpec } from "../spec";
import { escapeExpansion, variables } from "./environment";
import { compact, type KubernetesObject } from "../../provider/contract/object";
import { type Mount, volumeMounts } from "./volumes";

/** The containers beside the broker: init containers that are started again and not waited for. */
export function sidecars(spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject[] {
    return spec.sidecars.map((sidecar) => container(sidecar, spec, mounts));
}

function container(sidecar: SidecarSpec, spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject {
    const { environment, image, leadOnly, name, resources, securityContext } = sidecar;
    const own = spec.volumes.map(({ mountPath }) => mountPath);
    const paths = [RUN_DIR, MUNGE_SOCKET_DIR, ...(leadOnly ? [SCRIPTS_DIR] : []), ...own];
    const command = sidecar.command.map(escapeExpansion);
    return compact({
        name,
        image,
        restartPolicy: "Always",
        command: leadOnly ? ["/bin/sh", `${SCRIPTS_DIR}/sidecar.sh`, ...command] : command,
        env: [
            { name: "FLUX_URI", value: FLUX_URI },
            ...variables(environment),
        ],
        resources: compact({ limits: resources.limits, requests: resources.requests }),
        securityContext,
        volumeMounts: volumeMounts(mounts.filter(({ mountPath }) => paths.includes(mountPath))),
    });
}

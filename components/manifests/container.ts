import { FLUX_CONTAINER } from "../../provider/contract/names";
import { compact, type KubernetesObject } from "../../provider/contract/object";
import { SCRIPTS_DIR } from "../../provider/contract/paths";
import { Network } from "../args";
import type { MiniClusterSpec } from "../spec";
import { environment, escapeExpansion } from "./environment";
import { hostsPort } from "./service";
import { type Mount, volumeMounts } from "./volumes";

/** The container that runs the broker. */
export function fluxContainer(spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject {
    return compact({
        name: FLUX_CONTAINER,
        image: spec.image,
        imagePullPolicy: spec.imagePullPolicy,
        command: ["/bin/sh", `${SCRIPTS_DIR}/wait.sh`],
        args: spec.command.map(escapeExpansion),
        workingDir: spec.workingDirectory,
        env: environment(spec),
        ports: ports(spec),
        resources: compact({ limits: spec.resources.limits, requests: spec.resources.requests }),
        securityContext: spec.securityContext,
        volumeMounts: volumeMounts(mounts),
        startupProbe: startupProbe(spec),
        lifecycle: lifecycle(spec),
    });
}

function ports(spec: MiniClusterSpec): KubernetesObject[] {
    const port = (name: string, containerPort: number) => ({ name, containerPort, protocol: "TCP" });
    return [
        port("broker", spec.broker.port),
        ...(spec.network === Network.Hosts ? [port("hosts", hostsPort(spec))] : []),
        ...(spec.restful === undefined ? [] : [port("restful", spec.restful.port)]),
    ];
}

/**
 * Seconds from a container's start until somebody looks whether it is ready. The look waits in the container
 * until it is, but to begin it costs a tenth of a second of CPU, and just then the brokers of a node need all of it. No
 * cluster is ready in less than 2, and for the end of a command nobody has to look.
 */
const FIRST_LOOK = { ephemeral: 5, persistent: 2 } as const;

/**
 * Makes a pod Ready when its rank is in, and rank 0's when the quorum is there and the
 * RESTful server, if there is one, answers. A startup probe, because it costs
 * nothing once it has succeeded; it has no deadline, for that is JobStatus' business.
 */
function startupProbe({ mode }: MiniClusterSpec) {
    return {
        exec: { command: ["/bin/sh", `${SCRIPTS_DIR}/ready.sh`] },
        initialDelaySeconds: FIRST_LOOK[mode],
        periodSeconds: 1,
        // The script gives up before.
        timeoutSeconds: 60,
        failureThreshold: 2147483647,
    };
}

function lifecycle(spec: MiniClusterSpec) {
    const leave = { exec: { command: ["/bin/sh", `${SCRIPTS_DIR}/leave.sh`] } };
    return spec.mode === "persistent" ? { preStop: leave } : undefined;
}

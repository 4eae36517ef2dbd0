import type { Input } from "@pulumi/pulumi";

import { compact, type KubernetesObject } from "../../../provider/contract/object";
import { FLUX_URI, MUNGE_SOCKET_DIR, SCRIPTS_DIR } from "../../parts/paths";
import { RUN_DIR } from "../../../provider/contract/paths";
import { type Mount, volumeMounts } from "../../parts/mount";
import { decideProgram, type ProgramArgs, type ProgramSpec } from "../../parts/program";
import { scriptsIn } from "../../parts/scripts";
import { escapeExpansion, variables } from "../../parts/variables";
import type { Problem } from "../../rules/problem";
import { validatePrograms } from "../../rules/programs";
import type { MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";

/**
 * A container beside the broker: a native sidecar, which starts before the broker, ends after it and doesn't keep the
 * Job alive. It has the cluster's `volumes` at their paths. FLUX_URI names Flux's socket, which exists when the broker
 * is up. To use the socket, the image needs the same version of Flux, and the container must run as the pods' user.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
 */
export interface SidecarArgs extends ProgramArgs {
    /**
     * Run the container on the lead only. On the followers, whose pods have the same template, the container only
     * waits: the sidecar needs `command`, and its image needs /bin/sh and sleep.
     * @default false
     */
    leadOnly?: Input<boolean>;
}

export interface SidecarsArguments {
    /** Containers beside the broker, in the pod of each rank. @default none */
    sidecars?: Input<Input<SidecarArgs>[]>;
}

interface SidecarSpec extends ProgramSpec {
    readonly leadOnly: boolean;
}

export interface Decided {
    readonly sidecars: readonly SidecarSpec[];
}

export const sidecars: Feature<SidecarsArguments, Decided> = {
    decide: ({ sidecars: given = [] }) => ({
        sidecars: given.map((sidecar) => ({ ...decideProgram(sidecar), leadOnly: sidecar.leadOnly ?? false })),
    }),

    problems: validateSidecars,
    files: (spec) => (spec.sidecars.some(({ leadOnly }) => leadOnly) ? scriptsIn(__dirname, "sidecar.sh") : {}),
    sidecars: (spec, mounts) => spec.sidecars.map((sidecar) => container(sidecar, spec, mounts)),
};

function validateSidecars({ sidecars: given }: MiniClusterSpec): Problem[] {
    const idle = given.flatMap(({ command, leadOnly }, index) => {
        const reason =
            "is true, but command is missing, and leadOnly can't start the image's own command. Give the command.";
        return leadOnly && command.length === 0 ? [{ property: `sidecars[${index}].leadOnly`, reason }] : [];
    });
    return [...validatePrograms("sidecars", given), ...idle];
}

/** A native sidecar: an init container that Kubernetes restarts and doesn't wait for. */
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
        env: [{ name: "FLUX_URI", value: FLUX_URI }, ...variables(environment)],
        resources: compact({ limits: resources.limits, requests: resources.requests }),
        securityContext,
        volumeMounts: volumeMounts(mounts.filter(({ mountPath }) => paths.includes(mountPath))),
    });
}

import { compact, type KubernetesObject } from "../../provider/contract/object";
import { PREPARED_DIR, SCRIPTS_DIR, STATE_DIR, TERMINATION_LOG } from "../parts/paths";
import { FEATURES } from "../features";
import { asFlux } from "../parts/fluxContainer";
import { type Mount, PREPARED, volumeMounts } from "../parts/mount";
import { scriptsIn } from "../parts/scripts";
import { type Parameters, scriptVariables } from "../parts/variables";
import type { MiniClusterSpec, Texts } from "../spec";

/** Parameters of the init container; undefined if no feature needs it. */
function wanted(spec: MiniClusterSpec): Parameters | undefined {
    const all = FEATURES.flatMap((feature) => feature.prepare?.(spec) ?? []);
    return all.length === 0 ? undefined : Object.assign({}, ...all);
}

export function prepareScript(spec: MiniClusterSpec): Texts {
    return wanted(spec) === undefined ? {} : scriptsIn(__dirname, "prepare.sh");
}

/** The init container that makes files for the Flux container. */
export function prepareContainers(spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject[] {
    const parameters = wanted(spec);
    if (parameters === undefined) {
        return [];
    }
    const own = mounts.filter(({ mountPath }) => [SCRIPTS_DIR, STATE_DIR].includes(mountPath));
    const container = {
        name: "flux-prepare",
        ...asFlux(spec),
        command: ["/bin/sh", `${SCRIPTS_DIR}/prepare.sh`],
        env: scriptVariables({ ...parameters, prepared: PREPARED_DIR, terminationLog: TERMINATION_LOG }),
        volumeMounts: volumeMounts([...own, { mountPath: PREPARED_DIR, volume: PREPARED }]),
    };
    return [compact(container)];
}

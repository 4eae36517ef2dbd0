import { namesOf } from "../../provider/contract/names";
import { MADE_CURVE_DIR, RUN_DIR, SCRIPTS_DIR, TERMINATION_LOG, TOKEN_DIR } from "../../provider/contract/paths";
import type { MiniClusterSpec } from "../spec";
import { scriptVariables } from "./environment";
import { certificatePath, isMadeInPods, madeKeySecret, TOKEN_MOUNT } from "./key";
import { compact, type KubernetesObject } from "../../provider/contract/object";
import { prepareContainers } from "./prepare";
import { viewContainers, viewMounts } from "./view";
import { type Mount, volumeMounts } from "./volumes";

/** What runs in each pod before the broker's container, and the volumes that only it has. */
export function initContainers(spec: MiniClusterSpec, mounts: readonly Mount[]): { containers: KubernetesObject[]; mounts: Mount[] } {
    const prepare = [...prepareContainers(spec, mounts), ...viewContainers(spec, mounts)];
    return isMadeInPods(spec)
        ? { containers: [...prepare, curveContainer(spec, mounts)], mounts: [TOKEN_MOUNT] }
        : { containers: prepare, mounts: [] };
}

/** Makes the key or takes it over. */
function curveContainer(spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject {
    const own = mounts.filter(({ mountPath }) => [MADE_CURVE_DIR, RUN_DIR, SCRIPTS_DIR].includes(mountPath));
    const writable = own.map((mount) => (mount.mountPath === MADE_CURVE_DIR ? { ...mount, readOnly: undefined } : mount));
    const variables = {
        certificate: certificatePath(spec),
        cluster: namesOf(spec.name).cluster,
        keySecret: madeKeySecret(spec),
        run: RUN_DIR,
        scripts: SCRIPTS_DIR,
        terminationLog: TERMINATION_LOG,
        token: TOKEN_DIR,
        view: spec.view?.prefix,
    };
    return compact({
        name: "flux-curve",
        image: spec.image,
        imagePullPolicy: spec.imagePullPolicy,
        command: ["/bin/sh", `${SCRIPTS_DIR}/curve.sh`],
        env: scriptVariables(variables),
        resources: compact({ limits: spec.resources.limits, requests: spec.resources.requests }),
        securityContext: spec.securityContext,
        volumeMounts: volumeMounts([...writable, TOKEN_MOUNT, ...viewMounts(spec)]),
    });
}

import { ViewMethod } from "../args";
import { PREPARED_DIR, SCRIPTS_DIR, TERMINATION_LOG } from "../../provider/contract/paths";
import type { MiniClusterSpec, ViewSpec } from "../spec";
import { scriptVariables } from "./environment";
import { compact, type KubernetesObject } from "../../provider/contract/object";
import { type Mount, volumeMounts } from "./volumes";

const NAME = "flux-view";

/** Folders of the view, which are where they were built for in the containers that need Flux. */
function foldersOf({ folders, prefix }: ViewSpec): readonly string[] {
    return [prefix, ...folders];
}

/** Its mounts in a container that needs Flux. */
export function viewMounts({ view }: MiniClusterSpec): Mount[] {
    if (view === undefined) {
        return [];
    }
    if (view.method === ViewMethod.ImageVolume) {
        const image = compact({ reference: view.image, pullPolicy: view.imagePullPolicy });
        return foldersOf(view).map((folder) => ({ mountPath: folder, subPath: folder.slice(1), readOnly: true, volume: { name: NAME, image } }));
    }
    const volume = { name: NAME, emptyDir: {} };
    return foldersOf(view).map((folder, number) => ({ mountPath: folder, subPath: String(number), readOnly: true, volume }));
}

/** The init container that copies it; none where the cluster mounts the image itself. */
export function viewContainers(spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject[] {
    const { view } = spec;
    if (view === undefined || view.method === ViewMethod.ImageVolume) {
        return [];
    }
    const scripts = mounts.filter(({ mountPath }) => mountPath === SCRIPTS_DIR);
    const copy = { mountPath: PREPARED_DIR, volume: { name: NAME, emptyDir: {} } };
    const container = {
        name: NAME,
        image: view.image,
        imagePullPolicy: view.imagePullPolicy,
        command: ["/bin/sh", `${SCRIPTS_DIR}/view.sh`],
        args: foldersOf(view),
        env: scriptVariables({ prepared: PREPARED_DIR, terminationLog: TERMINATION_LOG }),
        resources: compact({ limits: spec.resources.limits, requests: spec.resources.requests }),
        securityContext: spec.securityContext,
        volumeMounts: volumeMounts([...scripts, copy]),
    };
    return [compact(container)];
}

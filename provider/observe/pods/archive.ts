import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../../contract/names";
import { type KubernetesObject, mergePatch, sortKeys } from "../../contract/object";
import { ARCHIVE_DIR } from "../../contract/paths";
import { SCRIPT_ENVIRONMENT } from "../../contract/scriptVariables";

type Templated = Pick<V1Job, "spec"> | KubernetesObject;

/** True if the Job's queue is on a volume. */
export function isArchived(job: Templated): boolean {
    return archiveOf(job) !== undefined;
}

/** True if a Job that replaces a live one starts with the queue that the live one saves. */
export function hasArchiveOf(live: V1Job, wanted: Templated): boolean {
    const [theirs, ours] = [archiveOf(live), archiveOf(wanted)];
    // The API server has added its defaults to the live one.
    return theirs !== undefined && ours !== undefined && isDeepStrictEqual(mergePatch(theirs, ours), theirs);
}

/** The volume of the queue, and the folder in it. */
function archiveOf({ spec }: Templated): KubernetesObject | undefined {
    const { containers = [], volumes = [] }: KubernetesObject = spec?.template?.spec ?? {};
    const { env = [], volumeMounts = [] } =
        containers.find(({ name }: KubernetesObject) => name === FLUX_CONTAINER) ?? {};
    const mount = volumeMounts.find(({ mountPath }: KubernetesObject) => mountPath === ARCHIVE_DIR);
    // Without the classes of the Kubernetes client.
    return (
        mount &&
        sortKeys({
            volume: volumes.find(({ name }: KubernetesObject) => name === mount.name),
            subPath: mount.subPath,
            folder: env.find(({ name }: KubernetesObject) => name === SCRIPT_ENVIRONMENT.archive)?.value,
        })
    );
}

import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../../contract/names";
import { type KubernetesObject, mergePatch, sortKeys } from "../../contract/object";
import { ARCHIVE_DIR } from "../../contract/paths";
import { SCRIPT_ENVIRONMENT } from "../../contract/scriptVariables";

type Templated = V1Job | KubernetesObject;

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

/** The volume of the queue, the folder in it, and the cluster whose it is: a lead sets another cluster's aside. */
function archiveOf(job: Templated): KubernetesObject | undefined {
    const { metadata, spec }: KubernetesObject = job;
    const pod: KubernetesObject = spec?.template?.spec ?? {};
    const flux = named(pod["containers"], FLUX_CONTAINER);
    const mount = flux?.["volumeMounts"]?.find(({ mountPath }: KubernetesObject) => mountPath === ARCHIVE_DIR);
    if (mount === undefined) {
        return undefined;
    }
    const folder = named(flux?.["env"], SCRIPT_ENVIRONMENT.archive)?.["value"];
    const cluster = `${metadata.namespace}/${metadata.name}`;
    // Without the classes of the Kubernetes client.
    return sortKeys({ volume: named(pod["volumes"], mount.name), subPath: mount.subPath, folder, cluster });
}

function named(list: readonly KubernetesObject[] | undefined, name: string): KubernetesObject | undefined {
    return list?.find((each) => each["name"] === name);
}

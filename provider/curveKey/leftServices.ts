import { ANNOTATIONS } from "../contract/labels";
import { namesOf } from "../contract/names";
import { keptByCopy } from "../contract/operation";
import { warner } from "../host/log";
import { programRuns } from "../host/program";
import { connect } from "../kubernetes/client";
import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import { sentence } from "../kubernetes/failures/failure";
import { isForgettable, otherAccesses } from "../kubernetes/kubeconfig/unreachable";
import { removeRemains } from "../remains/removal";
import type { CurveKeyInputs, CurveKeyOutputs } from "./properties";

/** URNs of the keys that the program of this operation has, also those of before a rename. */
const wanted = keptByCopy(() => new Set<string>());

/** Remembers that the program has a key, which the state has as `olds`. */
export function rememberWanted(olds: Partial<CurveKeyInputs>, news: CurveKeyInputs): void {
    [olds, news].forEach(({ resourceUrn = "" }) => wanted().add(resourceUrn));
}

/**
 * Removes Services that are not in the state: an interrupted creation has left them, or a refresh in a wrong context has
 * dropped them. The key is created before the Services and deleted after them. Its credentials may be old, because no update
 * writes them again: so this also looks with those of the cluster's Job. If the cluster can't be asked, the key is deleted
 * all the same.
 */
export async function removeLeftServices(key: CurveKeyOutputs): Promise<void> {
    const { cluster, context, kubeconfig } = key;
    if (cluster === undefined || (await isReplaced(key))) {
        return;
    }
    const own = { context, kubeconfig };
    const others = otherAccesses(own);
    const asked = await Promise.allSettled(others.map((access) => sweep(key, cluster, access)));
    try {
        await sweep(key, cluster, own);
    } catch (error) {
        const answered = others.filter((_access, index) => asked[index].status === "fulfilled");
        if (!answered.map(addressOf).includes(addressOf(own)) && !isForgettable(error)) {
            warner("", cluster)(describeLeft(key, cluster, error));
        }
    }
}

/** True for a key that an update replaces: the Services have its nonce until they are updated. */
async function isReplaced({ resourceUrn = "" }: CurveKeyOutputs): Promise<boolean> {
    return (resourceUrn === "" || wanted().has(resourceUrn)) && (await programRuns()) === true;
}

async function sweep({ namespace, nonce }: CurveKeyOutputs, cluster: string, access: ClusterAccess): Promise<void> {
    const remove = (name: string) =>
        removeRemains({
            ...access,
            nonce,
            object: { apiVersion: "v1", kind: "Service", namespace, name },
            job: cluster,
        });
    await Promise.all(servicesOf(cluster).map(remove));
}

function servicesOf(cluster: string): string[] {
    const { cluster: headless, lead } = namesOf(cluster);
    return [lead, headless];
}

/** Undefined if the kubeconfig can't be read any more. */
function addressOf(access: ClusterAccess): string | undefined {
    try {
        return connect(access).server;
    } catch {
        return undefined;
    }
}

function describeLeft({ namespace, nonce }: CurveKeyOutputs, cluster: string, error: unknown): string {
    const names = servicesOf(cluster).join(" ");
    const place = namespace === undefined ? "" : ` -n ${namespace}`;
    return (
        `The key is deleted, but the cluster can't be asked for Services that an interrupted creation may have left: ` +
        `${sentence(error)}. Look for them: kubectl get services ${names}${place} -o yaml. Delete those whose annotation ` +
        `${ANNOTATIONS.nonce} is ${nonce}: kubectl delete services NAME${place}`
    );
}

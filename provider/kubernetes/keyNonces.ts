import { keptByCopy } from "../contract/operation";
import { accessKey, type ClusterAccess } from "./kubeconfig/clusterAccess";

/** A MiniCluster's place by its key, and the nonce of that key. */
interface Key extends ClusterAccess {
    readonly cluster?: string;
    readonly namespace?: string;
    readonly nonce: string;
}

/** The keys whose diff the engine has asked for in this operation. */
const knownKeys = keptByCopy(() => new Map<string, Key>());

/** Remembers a key of the state. An earlier, targeted update may have replaced it, but not the Job. */
export function rememberKey({ cluster, context, kubeconfig, namespace, nonce }: Key): void {
    knownKeys().set(nonce, { cluster, context, kubeconfig, namespace, nonce });
}

/** The nonces of the keys that the operation has met of the MiniCluster at this place. */
export function noncesAt(access: ClusterAccess, namespace: string, cluster: string): string[] {
    return [...knownKeys().values()]
        .filter(
            (key) =>
                key.cluster === cluster &&
                (key.namespace ?? namespace) === namespace &&
                accessKey(key) === accessKey(access),
        )
        .map(({ nonce }) => nonce);
}

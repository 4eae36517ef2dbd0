import { isDeepStrictEqual } from "node:util";

import { keptByCopy } from "../../contract/operation";
import { BRIEFLY, connect, type Kube } from "../client";
import { accessKey, type ClusterAccess, givenInstead, givenTo, warnIfNotAsked } from "./clusterAccess";
import { isUnreached } from "../failures/connectionTrouble";
import { hasCode, isTransient } from "../failures/failure";

/**
 * True if the cluster doesn't answer and the user has allowed Pulumi to drop such a cluster's objects from the state.
 * @see https://www.pulumi.com/registry/packages/kubernetes/api-docs/provider/
 */
export function isForgettable(error: unknown): boolean {
    return isTransient(error) && mayForget();
}

/** True if the user has allowed Pulumi to drop objects from the state that it can't find. */
export function mayForget(): boolean {
    return process.env.PULUMI_K8S_DELETE_UNREACHABLE === "true";
}

/** How the user allows it, after "If". */
export const FORGET = "set PULUMI_K8S_DELETE_UNREACHABLE=true, which drops it from the state";

/** The credentials that the program has given in this operation, and those of Jobs that it has deleted. */
const givenAccesses = keptByCopy(() => new Map<string, ClusterAccess>());

/** Remembers credentials, which may be newer than those that the state has of another resource. */
export function rememberAccess({ context, kubeconfig }: ClusterAccess): void {
    const access = { context, kubeconfig };
    givenAccesses().set(accessKey(access), access);
}

/** The credentials of this operation that are not these. */
export function otherAccesses(access: ClusterAccess): ClusterAccess[] {
    return [...givenAccesses().values()].filter((other) => accessKey(other) !== accessKey(access));
}

/**
 * Runs `call` with the credentials that the program gives now, else with those of the state. If the cluster refuses these, or
 * they can't be used, or no API server is at their address any more, repeats it with others of this operation, or with the
 * current ones of the environment. All but those of the state must lead to the same cluster.
 */
export async function withAccess<T>(
    access: ClusterAccess & { readonly resourceUrn?: string },
    isSame: (kube: Kube) => Promise<boolean>,
    call: (kube: Kube) => Promise<T>,
): Promise<T> {
    const present = await firstOf(await givenInstead(access), isSame);
    if (present !== undefined) {
        return call(present);
    }
    try {
        return await call(connect(access));
    } catch (error) {
        const others = access.kubeconfig === undefined ? [] : [...otherAccesses(access), {}];
        const another = await firstOf(
            others.filter((other) => isRefusal(error) || !isUsable(access) || isAnotherWay(error, access, other)),
            isSame,
        );
        if (another === undefined) {
            if (isRefusal(error) || isUnreached(error) || !isUsable(access)) {
                await warnIfNotAsked(access.resourceUrn);
            }
            throw error;
        }
        return call(another);
    }
}

/** A client with the first of these credentials that lead to the same cluster; undefined if none do. */
async function firstOf(
    accesses: readonly ClusterAccess[],
    isSame: (kube: Kube) => Promise<boolean>,
): Promise<Kube | undefined> {
    for (const access of accesses) {
        try {
            if (await isSame(connect(access, BRIEFLY))) {
                return connect(access);
            }
        } catch {
            // These credentials are missing or refused, too.
        }
    }
    return undefined;
}

/** False if the kubeconfig can't be used, for example because a file that it names is missing here. */
function isUsable(access: ClusterAccess): boolean {
    try {
        connect(access);
        return true;
    } catch {
        return false;
    }
}

/** True if no API server was reached, and these other credentials have another address or another authority. */
function isAnotherWay(error: unknown, access: ClusterAccess, other: ClusterAccess): boolean {
    return isUnreached(error) && isAnotherServer(access, other);
}

function isAnotherServer(access: ClusterAccess, other: ClusterAccess): boolean {
    return [access, other].every(isUsable) && !isDeepStrictEqual(serverOf(access), serverOf(other));
}

/**
 * True if the program gives another address or authority now in place of this one of the state. If it gives this one too, as
 * to one of several clusters, the others don't count.
 */
export async function hasMoved(access: ClusterAccess & { readonly resourceUrn?: string }): Promise<boolean> {
    const told = await givenTo(access.resourceUrn);
    const given = told.length > 0 ? told : [...givenAccesses().values()];
    return given.length > 0 && given.every((other) => isAnotherServer(access, other));
}

function serverOf(access: ClusterAccess): object {
    const { name: _name, ...server } = connect(access).config.getCurrentCluster() ?? { name: "" };
    return server;
}

function isRefusal(error: unknown): boolean {
    return hasCode(error, 401) || hasCode((error as Error).cause, 401);
}

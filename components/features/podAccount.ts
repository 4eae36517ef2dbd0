import { FEATURES, type MiniClusterArgs } from ".";
import type { Problem } from "../rules/problem";
import type { MiniClusterSpec } from "../spec";
import type { PodRight } from "./feature";

/** The rights of all features together: all containers of a pod share one service account. */
interface AllRights {
    /** Name of the objects that give the rights. */
    nameOf(cluster: string): string;
    rules(spec: MiniClusterSpec): PodRight[];
}

/** The rights of the pods' service account. Undefined if no feature needs any. */
export function rightsOf(of: MiniClusterArgs | MiniClusterSpec): AllRights | undefined {
    const all = FEATURES.flatMap(({ rights }) => (rights?.areNeeded(of as MiniClusterSpec) ? [rights] : []));
    if (all.length === 0) {
        return undefined;
    }
    return {
        nameOf: (cluster) => `${cluster}-${all[0].suffix}`,
        rules: (spec) => all.flatMap(({ rules }) => rules(spec)),
    };
}

/** The service account of the pods: that of the user, or the one with the rights. Undefined for that of the namespace. */
export function podAccount(spec: MiniClusterSpec): string | undefined {
    return spec.serviceAccountName ?? rightsOf(spec)?.nameOf(spec.name);
}

/** Refuses an Output that comes too late to make the service account. */
export function validateAccount({ serviceAccountName }: MiniClusterArgs, spec: MiniClusterSpec): Problem[] {
    const isLate = serviceAccountName !== undefined && spec.serviceAccountName === undefined;
    return isLate && podAccount(spec) !== undefined ? [{ property: "serviceAccountName", reason: EMPTY }] : [];
}

const EMPTY =
    "is an Output and null, but Pulumi must know before any Output whether to make a service account. " +
    "Give a name, or leave the argument out.";

import { hostOf } from "../../parts/hosts";

/**
 * A range of ranks as an RFC 29 hostlist: `lammps-[0-3]`.
 * @see https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_29.html
 */
export function hostlist(cluster: string, first: number, last: number, suffix = ""): string {
    return (first === last ? hostOf(cluster, first) : `${cluster}-[${first}-${last}]`) + suffix;
}

/** The hostlist of all ranks that the cluster can have. */
export function allHosts(cluster: string, maxSize: number, suffix = ""): string {
    return hostlist(cluster, 0, maxSize - 1, suffix);
}

/** The first `count` ids as an RFC 22 idset: `0-3`. */
export function firstIds(count: number): string {
    return count === 1 ? "0" : `0-${count - 1}`;
}

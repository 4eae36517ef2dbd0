/** Host name of a rank, as `hostname` prints it in its pod. Kubernetes derives it from the Job's name and the index. */
export function hostOf(cluster: string, rank: number): string {
    return `${cluster}-${rank}`;
}

/** DNS name of a rank, which resolves in the whole Kubernetes cluster. */
export function domainNameOf(cluster: string, rank: number, namespace: string, clusterDomain: string): string {
    return `${hostOf(cluster, rank)}.${subdomainOf(cluster, namespace, clusterDomain)}`;
}

export function subdomainOf(cluster: string, namespace: string, clusterDomain: string): string {
    return `${cluster}.${namespace}.svc.${clusterDomain}`;
}

/** Longest host name, Service name and label value that Kubernetes accepts (RFC 1035 label). */
export const LONGEST_LABEL = 63;

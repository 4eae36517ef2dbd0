import type { V1PodSpec } from "@kubernetes/client-node";

/** A port of a node that a pod takes. */
export interface HostPort {
    readonly ip: string;
    readonly port: number;
    readonly protocol: string;
}

const ANY = "0.0.0.0";

/** The ports of the node that a pod takes: those of its containers and of its sidecars. */
export function hostPortsOf({ containers, hostNetwork, initContainers = [] }: V1PodSpec): HostPort[] {
    const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
    return [...containers, ...sidecars].flatMap(({ ports = [] }) =>
        ports
            .map(({ containerPort, hostIP, hostPort, protocol }) => ({
                ip: hostIP || ANY,
                port: hostPort || (hostNetwork ? containerPort : 0),
                protocol: protocol ?? "TCP",
            }))
            .filter(({ port }) => port > 0),
    );
}

/** True if two pods can't be on one node. An address of all interfaces conflicts with each other one. */
export function conflict(some: readonly HostPort[], others: readonly HostPort[]): boolean {
    return some.some((one) =>
        others.some(
            (other) =>
                one.port === other.port &&
                one.protocol === other.protocol &&
                (one.ip === other.ip || one.ip === ANY || other.ip === ANY),
        ),
    );
}

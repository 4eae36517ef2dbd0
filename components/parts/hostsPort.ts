import type { MiniClusterSpec } from "../spec";

/** Where rank 0 tells the others all addresses. */
export function hostsPort(spec: MiniClusterSpec): number {
    return spec.broker.port + 1;
}

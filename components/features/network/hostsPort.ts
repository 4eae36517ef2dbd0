import type { MiniClusterSpec } from "../../spec";

/** Port on which the lead tells the followers the addresses of all ranks. */
export function hostsPort(spec: MiniClusterSpec): number {
    return spec.broker.port + 1;
}

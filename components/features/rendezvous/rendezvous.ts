import type { Input } from "@pulumi/pulumi";

/**
 * The variables by which the processes of a distributed program find each other, as PyTorch reads them: MASTER_ADDR,
 * MASTER_PORT, RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, NODE_RANK, and PET_* for torchrun.
 */
export interface RendezvousArgs {
    /**
     * Port on the host of the first task. If it is taken, the first task fails.
     * @default a port from 20000 to 29999 that depends on the job's id
     */
    port?: Input<number>;
}

/** A rendezvous without Outputs. */
export interface Rendezvous {
    readonly port?: number;
}

/** The port as the first word of rendezvous.sh. */
export function portWord({ port }: Rendezvous): string {
    return port === undefined ? "any" : String(port);
}

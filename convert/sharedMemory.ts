/** Where a MiniCluster mounts a volume of its own, in memory. */
export const SHARED_MEMORY = "/dev/shm";

/**
 * The warning about a volume at /dev/shm that isn't in the pod's memory. With hostIPC, the node's /dev/shm is there, whose
 * own mount is no other volume.
 */
export function otherSharedMemory(name: string, hostIPC: unknown): string {
    const own = `mounts "${name}" at ${SHARED_MEMORY}, where the ranks have`;
    return hostIPC
        ? `${own} the node's by hostIPC. It is left out; mount it at another path, or remove hostIPC.`
        : `${own} a volume in memory, which counts against the pod's memory limit. It is left out; give hostIPC for the ` +
              `node's ${SHARED_MEMORY}, or sharedMemory for a limit.`;
}

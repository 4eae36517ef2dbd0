/** Where a MiniCluster mounts a volume of its own, in memory. */
export const SHARED_MEMORY = "/dev/shm";

/** The warning about a volume at /dev/shm that isn't in the pod's memory, such as the node's /dev/shm. */
export function otherSharedMemory(name: string): string {
    const own = `mounts "${name}" at ${SHARED_MEMORY}, where the ranks have a volume in memory, which counts against the pod's`;
    return `${own} memory limit. It is left out; give hostIPC for the node's ${SHARED_MEMORY}, or sharedMemory for a limit.`;
}

/** Lines of an output that may tell why its program failed. */
const LAST_LINES = 50;

/** How a program ends that has filled /dev/shm: by SIGBUS when it uses a page, or with an error of its own. */
const BUS = /exit code 135\b|\bBus error\b|\bSIGBUS\b/i;
const FULL = /no space left on device/i;
const SHARED = /shm/i;

const HINT =
    " A program that fills /dev/shm ends so. Its size is sharedMemory, by default the memory limit of the pod if it has " +
    "one, and with hostIPC the node's (docs/cpus.md#shared-memory).";

/** A sentence after the cause of a failure, if /dev/shm may have been full; else an empty text. */
export function sharedMemoryHint(cause: string, output: string): string {
    const lines = output.trimEnd().split("\n").slice(-LAST_LINES);
    const says = (what: RegExp) => lines.some((line) => what.test(line));
    return BUS.test(cause) || says(BUS) || (says(FULL) && says(SHARED)) ? HINT : "";
}

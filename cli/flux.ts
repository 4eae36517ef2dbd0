import { FIND_FLUX } from "../provider/contract/paths";

/** A command as it is run in a pod, where Flux may not be on the PATH of the container. */
export function findingFlux(command: readonly string[]): string[] {
    return ["sh", "-c", `${FIND_FLUX}; exec "$@"`, "sh", ...command];
}

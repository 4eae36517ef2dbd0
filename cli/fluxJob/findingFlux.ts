import { FIND_FLUX } from "../../provider/contract/paths";

/** A command for a pod: it finds Flux even if the container's PATH doesn't have it. */
export function findingFlux(command: readonly string[]): string[] {
    return ["sh", "-c", `${FIND_FLUX}; exec "$@"`, "sh", ...command];
}

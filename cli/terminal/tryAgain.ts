import { sentence } from "../../provider/kubernetes/failures/failure";
import { progress } from "./terminal";

/** Tells an error after which a command tries again. */
export function tryAgain(error: unknown): void {
    progress(`${sentence(error)}; trying again`);
}

import type { Operation } from "./operation";
import { type State, uidOf } from "./snapshot";

/** True if an operation may end the running command of the Job with this UID and nonce. */
export function mayEndCommand(operation: Operation, nonce: string | undefined, uid: string): boolean {
    const { before, wish } = operation;
    const state = before.find((of) => of.type === "IndexedJob" && uidOf(of) === uid);
    const isTwin = state?.name.endsWith("-twin-job") === true;
    const isWanted = wish.absent !== true && (!isTwin || wish.twin === true);
    const isChecked = operation.checked.has(`IndexedJob ${nonce}`);
    return isAllowed(operation, isWanted ? wish.interrupt : undefined, state, isChecked);
}

/** True if an operation may end the running FluxJob with this id and nonce. */
export function mayEndFluxJob(operation: Operation, id: string, nonce: string): boolean {
    const { before, wish } = operation;
    const state = before.find((of) => of.type === "FluxSubmission" && of.outputs["jobId"] === id);
    const isWanted = wish.absent !== true && wish.fluxJob !== undefined;
    const isChecked = operation.checked.has(`FluxSubmission ${nonce}`);
    return isAllowed(operation, isWanted ? wish.jobInterrupt : undefined, state, isChecked);
}

/**
 * The program's value counts, and that of the state if the engine acts before it has told the provider the program's, or
 * if the program doesn't have the resource any more.
 */
function isAllowed(
    { kind, wish }: Operation,
    wanted: string | undefined,
    state: State | undefined,
    isChecked: boolean,
): boolean {
    const isInState = !isChecked && state?.inputs["interrupt"] === "allow";
    // The plugin can't tell a program without the package from a destroy.
    const isLikeDestroy = wish.plugin === true && wish.absent === true;
    return kind === "destroy" || isLikeDestroy || wanted === "allow" || isInState;
}

/*
 * Whether work may end, and what is said of it: what other folders use. `change.ts` judges a change of a Job,
 * `deletion.ts` its deletion, `fluxJob.ts` both of a FluxJob. `running.ts` looks what runs.
 */
export {
    type Effect,
    endingEffect,
    type InPlace,
    type Interruption,
    type JobPatch,
    judgeChange,
    keepsQueue,
    mayBeEnded,
    patchPermitted,
    permittedPatch,
    replacementRefusal,
} from "./change";
export { deletePermitted, type Guard, guardOf, permitDeletion, refuseWithLead, tellWork } from "./deletion";
export { deletionGuard, mayRun, remember, rememberRemoval, requireReplaceable, wasRemoved } from "./fluxJob";
export type { Told } from "./permission";
export { workOf } from "./running";
export { BRIEF, untold, type Work } from "./work";

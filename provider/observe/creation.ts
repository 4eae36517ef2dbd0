import { keptByCopy } from "../contract/operation";

/** The creations of the Jobs in the state, by the Job's UID, of which the engine has asked in this operation. */
const known = keptByCopy(() => new Map<string, string>());

/** Remembers when a Job of the state was created: the record of its end may be lost, for example by an interrupted destroy. */
export function rememberCreation(uid: string, createdAt: string | undefined): void {
    if (createdAt !== undefined) {
        known().set(uid, createdAt);
    }
}

export function creationOf(uid: string): string | undefined {
    return known().get(uid);
}

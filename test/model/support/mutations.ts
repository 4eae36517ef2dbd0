import { Replay, type History, type Trace } from "./replay";
import { type Rules, rulesOf } from "./rules";

/** Rules that are taken out of the model, one at a time. */
export const MUTATIONS: Readonly<Record<string, Partial<Rules>>> = {
    "dependents are replaced with a resource that is deleted first": { replacesDependents: false },
    "a replacement checks again without the old inputs": { checksTwice: false },
    "a refresh doesn't read what is pending replacement": { refreshSkipsPending: false },
    "retainOnDelete keeps the object": { retains: false },
    "children inherit the aliases of their parent": { inheritsAliases: false },
    "deletedWith leaves the deletion to the other resource": { deletesWith: false },
    "untargeted resources are not checked": { skipsUntargeted: false },
    "the state's ignoreChanges count for dependents": { ignoresInDependents: false },
};

/** A history with what the real engine did. */
export interface Recorded {
    readonly history: History;
    readonly traces: readonly Trace[];
}

/** The index of the first history that shows that the rule is missing. */
export async function firstNoticing(
    all: readonly Recorded[],
    version: string,
    mutation: Partial<Rules>,
): Promise<number | undefined> {
    for (const [index, { history, traces }] of all.entries()) {
        if ((await new Replay({ ...rulesOf(version), ...mutation }).compare(history, traces)) !== undefined) {
            return index;
        }
    }
    return undefined;
}

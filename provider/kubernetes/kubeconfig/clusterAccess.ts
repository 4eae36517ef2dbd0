/** A Kubernetes cluster and its credentials. If empty, they are chosen at each call, as kubectl chooses them. */
export interface ClusterAccess {
    /** Text or path of a kubeconfig. */
    readonly kubeconfig?: string;
    readonly context?: string;
}

/** A text that is equal for equal accesses. */
export function accessKey({ context, kubeconfig }: ClusterAccess): string {
    return JSON.stringify([kubeconfig, context]);
}

/** An access of a resource of the program. */
interface Given extends ClusterAccess {
    readonly urn: string;
}

let ask: () => Promise<readonly Given[]> = async () => [];
let warn: (resourceUrn: string | undefined) => Promise<void> = async () => undefined;

/** Says how the program of this operation is asked for what it has given, and how a user is warned if it couldn't be asked. */
export function askProgramBy(question: typeof ask, warning: typeof warn = async () => undefined): void {
    ask = question;
    warn = warning;
}

/** Warns if the program couldn't be asked, on the row of the resource whose access fails. */
export function warnIfNotAsked(resourceUrn: string | undefined): Promise<void> {
    return warn(resourceUrn);
}

/**
 * The accesses that the program gives now in place of this one of the state, that of the same resource first. Empty if it
 * gives the same one, and without a program. A resource that was renamed has another URN in the state.
 */
export async function givenInstead({
    context,
    kubeconfig,
    resourceUrn,
}: ClusterAccess & { readonly resourceUrn?: string }): Promise<readonly ClusterAccess[]> {
    const key = accessKey({ context, kubeconfig });
    const all = await ask();
    const own = ofResource(all, resourceUrn);
    if (own.some((given) => accessKey(given) === key)) {
        return [];
    }
    const byKey = new Map([...own, ...all].map((given) => [accessKey(given), given]));
    return [...byKey.values()].map((given) => ({ context: given.context, kubeconfig: given.kubeconfig }));
}

/** The access that the program gives now to the resource with this URN, or all that it gives if it doesn't know the resource. */
export async function givenTo(resourceUrn: string | undefined): Promise<readonly ClusterAccess[]> {
    return ofResource(await ask(), resourceUrn);
}

function ofResource(all: readonly Given[], resourceUrn: string | undefined): readonly Given[] {
    const own = all.filter(({ urn }) => urn === resourceUrn);
    return own.length > 0 ? own : all;
}

import type { KubeConfig } from "../clientNode";

interface Reread {
    readonly read: () => string | undefined;
    /** When another token was found, on the monotonic clock. */
    renewedAt: number;
}

const rereads = new WeakMap<KubeConfig, Reread>();

/** Says how the current token of a kubeconfig is read again. */
export function rereadToken(config: KubeConfig, read: () => string | undefined): void {
    rereads.set(config, { read, renewedAt: -Infinity });
}

/**
 * Replaces the current token, which the API server has refused, by the one that the files of the kubeconfig have now. True
 * if a request of this time had an older one.
 */
export function replaceToken(config: KubeConfig, requestedAt: number): boolean {
    const [user, reread] = [config.getCurrentUser(), rereads.get(config)];
    if (!user?.token || reread === undefined) {
        return false;
    }
    if (requestedAt < reread.renewedAt) {
        return true;
    }
    const token = tokenNow(reread);
    if (token === undefined || token === user.token) {
        return false;
    }
    Object.assign(user, { token });
    reread.renewedAt = performance.now();
    return true;
}

/** Undefined if the files can't be read just now. */
function tokenNow({ read }: Reread): string | undefined {
    try {
        return read()?.trim() || undefined;
    } catch {
        return undefined;
    }
}

/** A credential, and when it ends. */
export interface Held<T> {
    readonly value: T;
    /** Milliseconds since 1970; undefined if it has no end. */
    readonly until?: number;
}

/**
 * A credential that is fetched when it is first needed, and again after its end or a refusal. Callers that need it at
 * the same time share one fetch.
 */
export class Renewal<T> {
    private held: Held<T> | undefined;
    /** When the fetch of `held` ended, on the monotonic clock. */
    private fetchedAt = 0;
    private running: Promise<Held<T>> | undefined;

    constructor(private readonly fetch: () => Promise<Held<T>>) {}

    async get(): Promise<T> {
        const { held } = this;
        if (held !== undefined && Date.now() < (held.until ?? Infinity)) {
            return held.value;
        }
        this.running ??= this.renew().finally(() => (this.running = undefined));
        return (await this.running).value;
    }

    /** Drops a credential that a request of this time has had. A newer one is kept. */
    refuse(requestedAt: number): void {
        if (this.fetchedAt <= requestedAt) {
            this.held = undefined;
        }
    }

    private async renew(): Promise<Held<T>> {
        this.held = await this.fetch();
        this.fetchedAt = performance.now();
        return this.held;
    }
}

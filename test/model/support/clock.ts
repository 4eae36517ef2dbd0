import { AsyncLocalStorage } from "node:async_hooks";

/** A process whose timers and requests stop when it is killed. */
export interface Process {
    readonly alive: boolean;
}

/** The process of the running code. */
export const processes = new AsyncLocalStorage<Process | undefined>();

interface Timer {
    at: number;
    readonly order: number;
    readonly run: () => void;
    readonly owner: Process | undefined;
    cancelled: boolean;
}

const real = {
    setImmediate: globalThis.setImmediate,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    Date: globalThis.Date,
    now: performance.now,
    timeout: AbortSignal.timeout,
    stackTraceLimit: Error.stackTraceLimit,
};

/** The shared reason of all timeouts, because making one takes longer than most requests. */
const TIMED_OUT = new DOMException("The operation was aborted due to timeout", "TimeoutError");

/** The most timers of one piece of work. Work with more timers counts as endless. */
const MOST_TIMERS = 100_000;

/** A clock that jumps to its next timer as soon as all code waits. */
export class Clock {
    /** Milliseconds since 1970. */
    now = real.Date.UTC(2026, 0, 1);
    private readonly timers: Timer[] = [];
    private order = 0;

    /** Runs an action later, in the calling process. */
    set(run: () => void, milliseconds: number): Timer {
        const timer: Timer = {
            at: this.now + Math.max(1, milliseconds || 0),
            order: this.order++,
            run,
            owner: processes.getStore(),
            cancelled: false,
        };
        this.push(timer);
        return timer;
    }

    /** Resolves later, but never in a killed process. */
    sleep(milliseconds: number): Promise<void> {
        return new Promise((resolve) => this.set(resolve, milliseconds));
    }

    /** Runs work to its end, with this clock in place of the real one. */
    async drive<T>(work: () => Promise<T>): Promise<T> {
        this.install();
        try {
            let settled = false;
            const promise = work().finally(() => (settled = true));
            promise.catch(() => undefined);
            for (let count = 0; ; count++) {
                await new Promise((resolve) => real.setImmediate(resolve));
                if (settled) {
                    return await promise;
                }
                if (!this.next() || count > MOST_TIMERS) {
                    throw new Error(
                        count > MOST_TIMERS ? "the work never ends" : "the work waits for something that never comes",
                    );
                }
            }
        } finally {
            this.uninstall();
        }
    }

    /** Lets this time pass. */
    async pass(milliseconds: number): Promise<void> {
        await this.drive(() => this.sleep(milliseconds));
    }

    /** Runs the next timer. Returns false if there is none. */
    private next(): boolean {
        for (;;) {
            const timer = this.pop();
            if (timer === undefined) {
                return false;
            }
            if (timer.cancelled || timer.owner?.alive === false) {
                continue;
            }
            this.now = Math.max(this.now, timer.at);
            processes.run(timer.owner, timer.run);
            return true;
        }
    }

    private push(timer: Timer): void {
        let low = 0;
        let high = this.timers.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (isLater(this.timers[middle], timer)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        this.timers.splice(low, 0, timer);
    }

    private pop(): Timer | undefined {
        return this.timers.pop();
    }

    private install(): void {
        // oxlint-disable-next-line typescript/no-this-alias
        const clock = this;
        const set = (run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) =>
            withUnref(clock.set(() => run(...args), milliseconds));
        const clear = (timer: Timer | undefined) => {
            if (timer !== undefined) {
                timer.cancelled = true;
            }
        };
        const repeat = (run: () => void, milliseconds: number) => {
            const again = () => {
                run();
                if (!handle.cancelled) {
                    handle.at = clock.now + milliseconds;
                    clock.push(handle);
                }
            };
            const handle: Timer = withUnref(clock.set(again, milliseconds));
            return handle;
        };
        class VirtualDate extends real.Date {
            constructor(...args: [any?]) {
                super(...((args.length === 0 ? [clock.now] : args) as [any]));
            }
            static override now(): number {
                return clock.now;
            }
        }
        Object.assign(globalThis, {
            setTimeout: set,
            clearTimeout: clear,
            setInterval: repeat,
            clearInterval: clear,
            Date: VirtualDate,
        });
        performance.now = () => clock.now;
        // Without this, most of a history's time would go into the stacks of its errors.
        Error.stackTraceLimit = 0;
        AbortSignal.timeout = (milliseconds) => {
            const controller = new AbortController();
            clock.set(() => controller.abort(TIMED_OUT), milliseconds);
            return controller.signal;
        };
    }

    private uninstall(): void {
        const { Date, clearInterval, clearTimeout, setInterval, setTimeout } = real;
        Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, Date });
        performance.now = real.now;
        Error.stackTraceLimit = real.stackTraceLimit;
        AbortSignal.timeout = real.timeout;
    }
}

function isLater(one: Timer, other: Timer): boolean {
    return one.at === other.at ? one.order > other.order : one.at > other.at;
}

/** Adds `ref` and `unref` to a timer, as Node's own timers have them. */
function withUnref(timer: Timer): Timer {
    return Object.assign(timer, { unref: () => timer, ref: () => timer });
}

import { orTold } from "../kubernetes/failures/slowAnswer";

/** Lets so many calls act at a time. All others wait in this process, where they cost the lead nothing. */
export class Turns {
    private readonly waiting: (() => void)[] = [];

    constructor(
        private free: number,
        /** For what a call waits. */
        private readonly what: string,
    ) {}

    /** `act` is told whether another call waits. */
    async take<T>(act: (isCrowded: boolean) => Promise<T>, signal: AbortSignal): Promise<T> {
        signal.throwIfAborted();
        if (this.free > 0) {
            this.free--;
        } else {
            await orTold(this.what, this.turn(signal));
        }
        try {
            return await act(this.waiting.length > 0);
        } finally {
            const next = this.waiting.shift();
            if (next === undefined) {
                this.free++;
            } else {
                next();
            }
        }
    }

    private turn(signal: AbortSignal): Promise<void> {
        return new Promise((resolve, reject) => {
            const begin = () => {
                signal.removeEventListener("abort", leave);
                resolve();
            };
            const leave = () => {
                this.waiting.splice(this.waiting.indexOf(begin), 1);
                reject(signal.reason as Error);
            };
            this.waiting.push(begin);
            signal.addEventListener("abort", leave, { once: true });
        });
    }
}

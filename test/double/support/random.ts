/** Pseudo-random numbers that are the same for the same seed (the generator "xorshift32"). */
export class Random {
    private state: number;

    constructor(seed: number) {
        // The state must not be 0.
        this.state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) | 0 || 1;
    }

    /** A number from 0 to limit - 1. */
    below(limit: number): number {
        this.state ^= this.state << 13;
        this.state ^= this.state >>> 17;
        this.state ^= this.state << 5;
        return (this.state >>> 0) % limit;
    }

    of<T>(values: readonly T[]): T {
        const value = values[this.below(values.length)];
        if (value === undefined) {
            throw new Error("There is nothing to choose from.");
        }
        return value;
    }
}

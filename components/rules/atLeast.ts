import type { Problem } from "./problem";

/** Largest value of a Kubernetes int32 field. */
const LARGEST = 2147483647;

/** Refuses numbers below their limit or above int32. Undefined numbers are skipped. */
export function validateAtLeast(
    numbers: readonly [property: string, value: number | undefined, limit: number][],
): Problem[] {
    return numbers.flatMap(([property, value, limit]) =>
        value !== undefined && (value < limit || value > LARGEST) ? [outOfRange(property, value, limit)] : [],
    );
}

function outOfRange(property: string, value: number, limit: number): Problem {
    const range = value < limit ? `at least ${limit}` : `at most ${LARGEST}`;
    return { property, reason: `is ${value}; it must be ${range}.` };
}

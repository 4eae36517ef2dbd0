import assert from "node:assert/strict";

import type { Interruption } from "../../e2e/support/interruptions";
import type { Case, Operation } from "./matrix";
import { describeStep, type Step } from "./steps";

/** The operations of the core of the matrix. */
export const CORE = ["create", "update", "replacement", "destroy"] as const satisfies Operation[];

export type CoreOperation = (typeof CORE)[number];

const INTERRUPTIONS = ["SIGINT once", "kill -9 of the CLI"] as const satisfies Interruption[];

/**
 * The requests that matter most. The engine writes an object into the state only after the answer to the request that
 * creates or deletes it.
 */
const REQUESTS: Readonly<Record<CoreOperation, readonly RegExp[]>> = {
    create: [/^(PATCH|POST) services\/NAME-lead$/, /^POST jobs$/],
    update: [/^PATCH jobs\/NAME$/],
    replacement: [/^DELETE jobs\/NAME$/],
    destroy: [/^DELETE services\/NAME-lead$/],
};

/** Each interruption before and after each request that matters, among the steps of the operation. */
export function coreCases(operation: CoreOperation, steps: readonly Step[]): Case[] {
    return REQUESTS[operation].flatMap((request) => {
        const met = steps.filter(
            ({ action, occurrence, place }) => occurrence === 1 && request.test(`${action} ${place}`),
        );
        assert.equal(met.length, 2, `${operation}: ${request} is not among ${steps.map(describeStep).join(", ")}`);
        return met.flatMap((step) =>
            INTERRUPTIONS.map((interruption) => ({ operation, step, index: steps.indexOf(step), interruption })),
        );
    });
}

import assert from "node:assert/strict";

import type { FaultProxy } from "../../e2e/support/faultProxy";
import {
    endLeftovers,
    type Interruption,
    interruptIfAt,
    outcome,
    type PulumiCommand,
    recover,
    unlock,
} from "../../e2e/support/interruptions";
import type { TestStack } from "../../e2e/support/stack";
import { describeStep, selectorOf, type Step, stepsOf } from "./steps";

export const OPERATIONS = ["create", "update", "replacement", "targeted replacement", "destroy"] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The columns of the tables. A kill of both processes is tested in test/e2e/dayTwo/interruption.spec.ts. */
export const COLUMNS = [
    "SIGINT once",
    "SIGINT twice",
    "kill -9 of the CLI",
    "kill -9 of the plugin host",
] as const satisfies Interruption[];

/** The most updates or destroys that may be needed after an interruption. */
const MOST_TRIES = 2;
/** Timeout of a case in seconds. */
const CASE_SECONDS = 400;

/** The subject of the interruptions: a stack with one of the package's resources, behind its own proxy. */
export interface Subject {
    /** Name of the resource. Requests are compared without it. */
    readonly name: string;
    readonly proxy: FaultProxy;
    readonly stack: TestStack;
    /** Changes the program for an operation. */
    prepare(operation: Operation): Promise<void>;
    /** URN of the resource that a targeted replacement names. */
    target(): string;
    /** Identity of the live object in the cluster. */
    live(): Promise<string | undefined>;
    /** Identity of the object in the state. */
    known(): string | undefined;
    /** Whether the state has the result of a finished object, even if the cluster no longer has the object. */
    isOver(): boolean;
    /** Requires that state and cluster agree, and that no object exists twice. */
    assertSettled(operation: Operation): Promise<void>;
    assertNothingLeft(): Promise<void>;
    /** Deletes the objects without Pulumi, after a failed case from which Pulumi can't recover. */
    clear?(): Promise<void>;
}

/** An operation and its interruption. Without `step`, the operation only prepares another one. */
export interface Case {
    readonly operation: Operation;
    readonly step?: Step;
    /** Number of the step in the operation. */
    readonly index?: number;
    readonly interruption: Interruption;
}

export interface Result extends Case {
    readonly cell: string;
    readonly failure?: string;
}

/**
 * The cases of an operation. With `MATRIX=whole` each interruption meets each request before and after it. Otherwise it
 * meets each request either before or after it, in turns, which is half of the cases.
 */
export function casesOf(operation: Operation, steps: readonly Step[]): Case[] {
    const isWhole = process.env["MATRIX"] === "whole";
    const requests = [...new Set(steps.map(keyOf))];
    return steps.flatMap((step, index) =>
        COLUMNS.filter((_, column) => {
            const turn: Step["point"] = (requests.indexOf(keyOf(step)) + column) % 2 === 0 ? "request" : "answer";
            return isWhole || step.action === "WATCH" || step.point === turn;
        }).map((interruption) => ({ operation, step, index, interruption })),
    );
}

const keyOf = ({ action, occurrence, place }: Step): string => `${action} ${place} ${occurrence}`;

/** The steps of an operation without an interruption. */
export async function record(subject: Subject, operation: Operation): Promise<Step[]> {
    await begin(subject, operation);
    const from = subject.proxy.requests.length;
    const { succeeded, text } = await outcome(subject.stack, commandOf(subject, operation));
    assert(succeeded, text);
    return stepsOf(subject.proxy.requests.slice(from), subject.name);
}

/** Runs one case after the other, because an interrupted inline program makes others in its process fail too. */
export async function meetAll(subject: Subject, cases: readonly Case[]): Promise<Result[]> {
    const results: Result[] = [];
    for (const one of cases) {
        const result = await meet(subject, one);
        results.push(result);
        console.log(
            `        ${one.operation}, ${one.step ? describeStep(one.step) : "not interrupted"}, ${one.interruption}: ${result.cell}`,
        );
    }
    return results.filter(({ step }) => step !== undefined);
}

/** Alternates destroys and creates of the same resource. Each is interrupted as long as there are cases for it. */
export function alternate(destroys: readonly Case[], creates: readonly Case[]): Case[] {
    const plain = (operation: Operation): Case => ({ operation, interruption: "SIGINT once" });
    return Array.from({ length: Math.max(destroys.length, creates.length) }).flatMap((_, index) => {
        return [destroys[index] ?? plain("destroy"), creates[index] ?? plain("create")];
    });
}

async function meet(subject: Subject, one: Case): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(
            () =>
                reject(
                    new Error(`the case has not ended after ${CASE_SECONDS} s:\n${subject.stack.printed.slice(-3000)}`),
                ),
            CASE_SECONDS * 1000,
        );
    });
    try {
        return { ...one, cell: await Promise.race([interrupt(subject, one), late]) };
    } catch (error) {
        const failure = `${one.operation}, ${one.step && describeStep(one.step)}, ${one.interruption}: ${(error as Error).message}`;
        console.log(failure);
        await restore(subject);
        return { ...one, cell: "**failed**", failure };
    } finally {
        clearTimeout(timer);
    }
}

/** Interrupts an operation and does what Pulumi's messages say then. Returns the cell of the table. */
async function interrupt(subject: Subject, { interruption, operation, step }: Case): Promise<string> {
    const { proxy, stack } = subject;
    await begin(subject, operation);
    const before = await subject.live();
    const command = commandOf(subject, operation);
    const ended =
        step === undefined
            ? { ...(await outcome(stack, command)), reached: false }
            : await interruptIfAt(stack, command, proxy.hold(selectorOf(step, subject.name), step.point), interruption);
    proxy.behave();
    const [left, known] = [await subject.live(), subject.known()];
    const needsRefresh = operation === "targeted replacement" && !ended.succeeded;
    if (needsRefresh) {
        await unlock(stack);
        await stack.refresh();
    }
    const again = await recover(stack, operation === "destroy" ? "destroy" : "up", MOST_TRIES);
    assert(again.succeeded, again.text);
    again.failures.forEach((text) => console.log(`        the first try failed:\n${text}`));
    const end = await settled(subject, operation, { before, left, known });
    return ended.reached
        ? `${end} (${again.failures.length + 1}${needsRefresh ? ", after a refresh" : ""})`
        : "not reached";
}

/** Requires a settled state after an operation and its recovery. Returns what the recovery did. */
async function settled(subject: Subject, operation: Operation, then: Omit<Identities, "now">): Promise<string> {
    if (operation === "destroy") {
        assert.deepEqual(subject.stack.resources(), []);
        await subject.assertNothingLeft();
        return "nothing left";
    }
    await subject.assertSettled(operation);
    const now = await subject.live();
    if (operation === "targeted replacement" && now === undefined && subject.isOver()) {
        return "kept";
    }
    assert.equal(subject.known(), now);
    requireIdentity(operation, then.before, now);
    return describeEnd({ ...then, now });
}

/** Requires that an update keeps the live object and a replacement changes it. A targeted one may not have started. */
function requireIdentity(operation: Operation, before: string | undefined, now: string | undefined): void {
    if (operation === "update") {
        assert.equal(now, before);
    }
    if (operation === "replacement") {
        assert.notEqual(now, before);
    }
}

type Identities = Readonly<Record<"before" | "known" | "left" | "now", string | undefined>>;

function describeEnd({ before, known, left, now }: Identities): string {
    if (now === left) {
        return known === now ? "resumed" : "adopted";
    }
    return before === undefined || left === undefined ? "created" : "replaced";
}

async function begin(subject: Subject, operation: Operation): Promise<void> {
    const isThere = subject.stack.resources().length > 0;
    if (operation === "create" && isThere) {
        await subject.stack.destroy();
    }
    if (operation !== "create" && !isThere) {
        await subject.stack.up();
    }
    await subject.prepare(operation);
}

function commandOf({ stack, target }: Subject, operation: Operation): PulumiCommand {
    switch (operation) {
        case "destroy":
            return "destroy";
        case "targeted replacement":
            return () => stack.replace(target(), true);
        case "create":
        case "replacement":
        case "update":
            return "up";
    }
}

/** Repairs the cluster after a failed case, because the next case needs a working one. */
async function restore(subject: Subject): Promise<void> {
    const { proxy, stack } = subject;
    proxy.behave();
    await endLeftovers(stack);
    await unlock(stack);
    await stack.refresh();
    const { succeeded, text } = await recover(stack, "up", MOST_TRIES);
    if (!succeeded && subject.clear !== undefined) {
        await stack.destroy();
        await subject.clear();
        return;
    }
    assert(succeeded, `the cluster can't be repaired after a failed case:\n${text}`);
}

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

/** The columns. What a killed CLI leaves running besides is in test/e2e/dayTwo/interruption.spec.ts. */
export const COLUMNS = [
    "SIGINT once",
    "SIGINT twice",
    "kill -9 of the CLI",
    "kill -9 of the plugin host",
] as const satisfies Interruption[];

/** Updates or destroys that may be needed after an interruption. */
const MOST_TRIES = 2;
/** Seconds in which a case has to be over, whatever hangs. */
const CASE_SECONDS = 400;

/** What is interrupted: a stack with a resource of ours, behind a proxy of its own. */
export interface Subject {
    /** Of the resource: what is put aside when requests are compared. */
    readonly name: string;
    readonly proxy: FaultProxy;
    readonly stack: TestStack;
    /** Makes the program want what the operation does. */
    prepare(operation: Operation): Promise<void>;
    /** URN of the resource that a targeted replacement names. */
    target(): string;
    /** Identity of what lives in the cluster. */
    live(): Promise<string | undefined>;
    /** Identity of what the state has. */
    known(): string | undefined;
    /** What the state has is over, and its result is kept there though the cluster has forgotten it. */
    isOver(): boolean;
    /** The state is the cluster, and there is one of everything. */
    assertSettled(operation: Operation): Promise<void>;
    assertNothingLeft(): Promise<void>;
}

/** An operation, and where and how it is interrupted; nowhere, where it only prepares another. */
export interface Case {
    readonly operation: Operation;
    readonly step?: Step;
    /** Place of the step in the operation. */
    readonly index?: number;
    readonly interruption: Interruption;
}

export interface Result extends Case {
    readonly cell: string;
    readonly failure?: string;
}

/**
 * The cases of an operation. Without `MATRIX=whole` an interruption meets each request either before it or after it, in
 * turns: half of them.
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

/** The steps of an operation that nobody interrupts. */
export async function record(subject: Subject, operation: Operation): Promise<Step[]> {
    await begin(subject, operation);
    const from = subject.proxy.requests.length;
    const { succeeded, text } = await outcome(subject.stack, commandOf(subject, operation));
    assert(succeeded, text);
    return stepsOf(subject.proxy.requests.slice(from), subject.name);
}

/** One case after the other: an inline program that is interrupted makes others of its process fail too. */
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

/** Each destroy is followed by a create of the same resource, and each is interrupted if there is a case left for it. */
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
            () => reject(new Error(`not over after ${CASE_SECONDS} s:\n${subject.stack.printed.slice(-3000)}`)),
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

/** One case: an operation that is interrupted, and what Pulumi says to do then. Tells how it ended. */
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

/** Requires that all is well after an operation and what followed it, and says what that did. */
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

/** An update keeps what is there; a replacement doesn't, unless it is one by hand that was never begun. */
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

/** After a case that failed the next one needs a cluster that is whole. */
async function restore({ proxy, stack }: Subject): Promise<void> {
    proxy.behave();
    await endLeftovers(stack);
    await unlock(stack);
    await stack.refresh();
    const { succeeded, text } = await recover(stack, "up", MOST_TRIES);
    assert(succeeded, `the case after a failed one can't begin:\n${text}`);
}

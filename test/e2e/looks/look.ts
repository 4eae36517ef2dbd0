import type { Output } from "@pulumi/pulumi";

import type { TestNamespace } from "../support/namespace";

/** Clusters that are only looked at when their command has ended, and can share one update and one stack with others. */
export interface Look {
    /** What the tests are about; stands before each test's name. */
    readonly subject: string;
    /** What has to be there before the update; gives what removes it. */
    prepare?(namespace: TestNamespace): Promise<() => void>;
    /** Declares the clusters in the stack's program, under names that no other look uses, and gives what the tests read. */
    clusters(namespace: TestNamespace): Record<string, Output<string>>;
    /** Registers the tests. The outputs are there when they run. */
    tests(outputs: Readonly<Record<string, string>>, namespace: TestNamespace): void;
}

/** The lines of an output, in an order of their own: tasks print when they come to it. */
export function sortedLines(text: string): string[] {
    return text.trim().split("\n").sort();
}

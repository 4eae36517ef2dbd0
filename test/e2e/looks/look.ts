import type { Output } from "@pulumi/pulumi";

import type { TestNamespace } from "../support/namespace";

/** Clusters that tests only read when their commands have finished. They share one update and one stack with others. */
export interface Look {
    /** Situation of the MiniCluster, which stands before each test's name: "with hooks". */
    readonly subject: string;
    /** Makes what the clusters need before the update. Returns a function that removes it. */
    prepare?(namespace: TestNamespace): Promise<() => void>;
    /**
     * Declares the clusters in the stack's program, under names that no other look uses. Returns the tests' outputs.
     */
    clusters(namespace: TestNamespace): Record<string, Output<string>>;
    /** Registers the tests. The outputs have their values when the tests run. */
    tests(outputs: Readonly<Record<string, string>>, namespace: TestNamespace): void;
}

/** The lines of an output, sorted, because tasks print in any order. */
export function sortedLines(text: string): string[] {
    return text.trim().split("\n").sort();
}

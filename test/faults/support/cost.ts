import { type ApiRequest, requestsOf } from "../../e2e/support/auditLog";
import { runningPulumi } from "../../e2e/support/interruptions";
import type { TestNamespace } from "../../e2e/support/namespace";
import type { Result, TestStack } from "../../e2e/support/stack";
import { peakMegabytesDuring } from "./memory";

/** The cost of a Pulumi command. */
export interface Cost {
    readonly seconds: number;
    readonly requests: readonly ApiRequest[];
    /** Highest resident memory in MB of the host of dynamic resources, and of the engine, which is the CLI's process. */
    readonly host: number;
    readonly engine: number;
    /** Number of lines that the command has printed. */
    readonly lines: number;
    readonly outputs: Result["outputs"];
}

/** Runs a command of a stack, and measures its cost. The namespace has no other stack. */
export async function costOf(
    namespace: TestNamespace,
    stack: TestStack,
    command: () => Promise<Result>,
): Promise<Cost> {
    const from = requestsOf(namespace.username).length;
    const running = command();
    const memory = runningPulumi(stack).then(({ cli, hosts }) =>
        peakMegabytesDuring(
            running,
            [...hosts, cli].map(({ pid }) => pid),
        ),
    );
    const [{ outputs, seconds, text }, [host, engine]] = await Promise.all([running, memory]);
    const requests = requestsOf(namespace.username).slice(from);
    return { seconds, requests, host, engine, lines: text.split("\n").length, outputs };
}

/** The costs of an up, a second up and a destroy. */
export interface Costs {
    readonly up: Cost;
    readonly again: Cost;
    readonly destroy: Cost;
}

/** The highest memory of a process in the three commands. */
export function most(process: "engine" | "host", { again, destroy, up }: Costs): number {
    return Math.max(...[up, again, destroy].map((cost) => cost[process]));
}

export const tenths = (value: number) => Math.round(value * 10) / 10;

#!/usr/bin/env node
import { type Arguments, parseArguments } from "./arguments";
import { nodeProblem } from "../provider/contract/nodeVersion";
import { USAGE, UsageError } from "./usage";

/** Each command, with the Kubernetes client, is loaded only when it is used. */
const commands: Record<string, () => Promise<(args: Arguments) => Promise<number>>> = {
    forward: async () => (await import("./commands/forward.js")).forward,
    jobs: async () => (await import("./commands/jobs.js")).jobs,
    list: async () => (await import("./commands/list.js")).list,
    logs: async () => (await import("./commands/logs.js")).logs,
    plan: async () => (await import("./commands/plan.js")).plan,
    run: async () => (await import("./commands/submit.js")).submit,
    shell: async () => (await import("./commands/shell.js")).shell,
    status: async () => (await import("./commands/status.js")).status,
    submit: async () => (await import("./commands/submit.js")).submit,
    wake: async () => (await import("./commands/wake.js")).wakeUp,
};

async function main(argv: readonly string[]): Promise<number> {
    const args = parseArguments(argv);
    if (args.options.help) {
        process.stdout.write(USAGE);
        return 0;
    }
    if (args.command === undefined || !Object.hasOwn(commands, args.command)) {
        throw new UsageError(
            args.command === undefined ? "a command is missing." : `there is no command ${args.command}.`,
        );
    }
    // The Kubernetes client fails on an older Node with an unclear error.
    const problem = nodeProblem("minicluster");
    if (problem !== undefined) {
        throw new Error(problem);
    }
    const command = await commands[args.command]();
    return command(args);
}

async function fail(error: unknown): Promise<number> {
    if (error instanceof UsageError) {
        process.stderr.write(`minicluster: ${error.message}\nTry minicluster --help.\n`);
        return 2;
    }
    const { sentence } = await import("../provider/kube/failure.js");
    process.stderr.write(`minicluster: ${sentence(error)}\n`);
    return 1;
}

/** Ends the process when its output has been read: an exit drops output that a slow reader of a pipe hasn't read. */
async function end(code: number): Promise<void> {
    await Promise.all([process.stdout, process.stderr].map(drained));
    // Explicitly, because open connections to the API server would keep the process alive.
    process.exit(code);
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
    return new Promise((resolve) => (stream.writableEnded ? resolve() : stream.write("", () => resolve())));
}

// The reader may close the pipe before the end of the output, as `head` does.
process.stdout.on("error", () => process.exit(141));
process.stderr.on("error", () => process.exit(141));

void main(process.argv.slice(2)).catch(fail).then(end);

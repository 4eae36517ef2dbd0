#!/usr/bin/env node
import { nodeProblem } from "../provider/contract/versions";
import { programName } from "./definition/programName";
import { ofCommand, UsageError } from "./definition/arguments";
import { say } from "./terminal/terminal";

async function main(argv: readonly string[]): Promise<number> {
    // The parser and the Kubernetes client fail on an older Node with unclear errors.
    const problem = nodeProblem(programName());
    if (problem !== undefined) {
        process.stderr.write(`${problem}\n`);
        return 1;
    }
    const { parse } = await import("./parser/parser.js");
    const { COMMANDS } = await import("./commands/index.js");
    const parsed = parse(argv, COMMANDS);
    if ("text" in parsed) {
        process.stdout.write(parsed.text);
        return 0;
    }
    const { args, definition } = parsed;
    const command = await definition.load(COMMANDS);
    return command(args).catch((error: unknown) => {
        throw ofCommand(error, definition.name);
    });
}

async function fail(error: unknown): Promise<number> {
    if (error instanceof UsageError) {
        const help = [programName(), error.command, "--help"].filter(Boolean).join(" ");
        say(`${error.message}\nTry ${help}.`);
        return 2;
    }
    const { sentence } = await import("../provider/kubernetes/failures/failure.js");
    say(sentence(error));
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

import { spawn } from "node:child_process";
import { finished } from "node:stream/promises";

import type { RunThere } from "../../../provider/copy/far";

/** Runs the commands for a pod on this machine: with tar and bash, in the given folder. */
export function farShell(cwd: string, path = process.env.PATH): RunThere {
    return async ({ command, signal, stderr, stdin, stdout }) => {
        const [program, ...words] = command;
        const child = spawn(program, words, { cwd, env: { PATH: path }, stdio: "pipe" });
        const aborted = new Promise<never>((_resolve, reject) => {
            signal.addEventListener("abort", () => {
                // As if the connection broke: the command sees the end of its standard input.
                stdin.unpipe();
                [child.stdin, child.stdout, child.stderr].forEach((stream) => stream.destroy());
                reject(signal.reason as Error);
            });
        });
        aborted.catch(() => undefined);
        child.stdin.on("error", () => undefined);
        stdin.pipe(child.stdin);
        child.stdout.pipe(stdout);
        child.stderr.pipe(stderr);
        const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
        const all = Promise.all([ended, finished(stdout, { readable: false }), finished(stderr)]);
        const [code] = await Promise.race([all, aborted]);
        return code;
    };
}

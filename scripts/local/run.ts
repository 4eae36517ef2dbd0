import { execFile, type ExecFileOptions } from "node:child_process";

/** Runs a program to its end and returns its output. The error of a failure contains the output. */
export function run(command: string, args: readonly string[], options: ExecFileOptions = {}): Promise<string> {
    return new Promise((resolve, reject) => {
        execFile(command, args, { maxBuffer: 64 << 20, ...options }, (error, stdout, stderr) => {
            if (!error) {
                return resolve(String(stdout));
            }
            const said = `${String(stderr)}${String(stdout)}`.trim();
            reject(new Error(`\`${[command, ...args].join(" ")}\` failed (${error.code ?? error.message}): ${said}`));
        });
    });
}

/** Like run(), but returns undefined if the program fails. */
export async function tryRun(
    command: string,
    args: readonly string[],
    options: ExecFileOptions = {},
): Promise<string | undefined> {
    try {
        return await run(command, args, options);
    } catch {
        return undefined;
    }
}

export const sleep = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Polls until a condition is true. After the timeout, it fails with an error that names the condition. */
export async function waitUntil(what: string, seconds: number, holds: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    while (!(await holds())) {
        if (Date.now() > deadline) {
            throw new Error(`This was not true within ${seconds} s: ${what}.`);
        }
        await sleep(100);
    }
}

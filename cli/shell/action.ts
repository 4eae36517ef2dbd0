import { KILLED } from "../../provider/flux/calls";
import { attach } from "../../provider/kubernetes/streams/exec";
import { type Arguments, UsageError } from "../definition/arguments";
import { findingFlux } from "../../provider/contract/paths";
import { containerOf, findPod } from "../target/ranks";
import { type Target, targetOf } from "../target/target";
import { leftOpen } from "../terminal/terminal";

/**
 * Runs a script that it has read to its end: a program of the script, such as `flux run`, would otherwise read the rest of the
 * script as its standard input. `exit` ends it with its exit code, as in a file.
 */
const WHOLE = 'script=$(cat) && exec </dev/null && eval "$script"';

/** Opens a shell on a rank and returns its exit code. Without a terminal, it runs the script on standard input. */
export async function shell({ options, words }: Arguments): Promise<number> {
    const [rank = "0"] = words;
    if (!/^\d+$/.test(rank) || words.length > 1) {
        throw new UsageError(`shell is given "${words.join(" ")}"; it takes a rank (a number).`);
    }
    const target = await targetOf(options);
    const container = await containerOf(target, Number(rank));
    const { pod } = container;
    const { stderr, stdin, stdout } = process;
    const terminal = stdin.isTTY === true && stdout.isTTY === true;
    const signal = new AbortController().signal;
    if (!terminal) {
        const streams = { stdin, stdout: leftOpen(stdout), stderr: leftOpen(stderr) };
        const exitCode = await attach(target.kube, container, {
            command: findingFlux(["bash", "-c", WHOLE]),
            ...streams,
            signal,
        });
        return ownCode(target, pod, exitCode);
    }
    stdin.setRawMode(true);
    try {
        const command = findingFlux(["env", `TERM=${process.env.TERM ?? "dumb"}`, "bash"]);
        return await ownCode(target, pod, await attach(target.kube, container, { command, stdin, stdout, signal }));
    } finally {
        stdin.setRawMode(false);
        stdin.unref();
    }
}

/** The exit code of a shell. Fails if it is that of a shell whose pod has ended. */
async function ownCode({ kube, namespace }: Target, name: string, exitCode: number): Promise<number> {
    if (!KILLED.includes(exitCode)) {
        return exitCode;
    }
    const pod = await findPod(kube, namespace, name);
    const ended = pod === undefined || pod.metadata?.deletionTimestamp !== undefined || pod.status?.phase !== "Running";
    if (ended) {
        throw new Error(`the shell was killed (${exitCode}), because its pod ${name} has ended.`);
    }
    return exitCode;
}

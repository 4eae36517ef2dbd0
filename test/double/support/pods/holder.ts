import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { run } from "../../../../scripts/local/run";

/** Words before a command that end it together with this process. A command that changes its user does not end. */
export const LINKED = ["setpriv", "--pdeathsig", "KILL"] as const;

/** A process that keeps namespaces alive. They end with it, and so do the devices and processes in them. */
export class Holder {
    private constructor(private readonly child: ChildProcess) {}

    static async create(...namespaces: string[]): Promise<Holder> {
        const [command, ...words] = [...LINKED, "unshare", ...namespaces, "cat"];
        const child = spawn(command ?? "", words, { stdio: ["pipe", "pipe", "inherit"] });
        // The answer shows that `cat` runs, so the namespaces exist.
        const answer = once(child.stdout, "data");
        child.stdin.write("\n");
        await Promise.race([
            answer,
            once(child, "exit").then(() => Promise.reject(new Error("namespaces can't be made without root"))),
        ]);
        return new Holder(child);
    }

    get pid(): number {
        return this.child.pid ?? 0;
    }

    /** Runs shell lines, with the machine's programs, in some of the holder's namespaces. */
    async run(namespaces: readonly string[], lines: readonly string[]): Promise<void> {
        await run("nsenter", ["--target", String(this.pid), ...namespaces, "--", "sh", "-euc", lines.join("\n")]);
    }

    async remove(): Promise<void> {
        if (this.child.exitCode === null && this.child.signalCode === null) {
            const ended = once(this.child, "exit");
            this.child.kill("SIGKILL");
            await ended;
        }
    }
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { run } from "../../../../local/run";

/** Ends what it starts when this process ends, however that happens. A process that has become another user's stays. */
export const LINKED = ["setpriv", "--pdeathsig", "KILL"] as const;

/** A process that does nothing but keep namespaces alive: they go with it, and what is in them. */
export class Holder {
    private constructor(private readonly child: ChildProcess) {}

    static async create(...namespaces: string[]): Promise<Holder> {
        const [command, ...words] = [...LINKED, "unshare", ...namespaces, "cat"];
        const child = spawn(command ?? "", words, { stdio: ["pipe", "pipe", "inherit"] });
        // What comes back says that `cat` runs, and so that the namespaces are there.
        const answer = once(child.stdout, "data");
        child.stdin.write("\n");
        await Promise.race([
            answer,
            once(child, "exit").then(() => Promise.reject(new Error("namespaces can't be made: root is needed"))),
        ]);
        return new Holder(child);
    }

    get pid(): number {
        return this.child.pid ?? 0;
    }

    /** Runs lines of shell, with the machine's programs, in these namespaces of the holder. */
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

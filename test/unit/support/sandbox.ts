import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
    chmodSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { PlainArgs } from "../../../components/args";
import { configFiles } from "../../../components/pod/configMap";
import { environment } from "../../../components/pod/environment";
import { BROKER_CONFIG_FILE } from "../../../components/parts/paths";
import { RESTFUL_ENVIRONMENT, SCRIPT_ENVIRONMENT } from "../../../provider/contract/scriptVariables";
import { makeSpec } from "./spec";
import { soon } from "../../e2e/support/until";

/** The result of a script. */
export interface Ended {
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
}

/** A call of the stub: the words of its command line. */
export type Call = readonly string[];

/** The bash that runs the scripts. `SCRIPTS_BASH=/path/to/bash make unit` tries another version. */
export const BASH = process.env.SCRIPTS_BASH ?? "/bin/bash";

/**
 * A stub that appends its words to a file and then runs the bash in `FLUX_STUB`. Two stubs may run at a time, so each
 * writes its words at once; bash's own printf writes line by line. The start of a pod asks for the version, which
 * `VERSION_STUB` answers, and for the file of the job shells; that isn't recorded as a call.
 */
const STUB = `#!/bin/bash
if [[ \${1:-} == version ]]; then
  eval "\${VERSION_STUB:-echo libflux-core: 0.88.0}"
  exit
fi
if [[ "\${1:-} \${2:-}" == "config builtin" ]]; then
  echo "\${INITRC_STUB:-/etc/flux/shell/initrc.lua}"
  exit
fi
# No relay: scripts then call commands, which are recorded.
[[ \${1:-} != relay ]] || exit 1
/usr/bin/printf '%s\\0' "\${0##*/}" "$@" $'\\n' >>"$SANDBOX/calls"
[[ "\${1:-} \${2:-}" != "R decode" ]] || cat >/dev/null
[[ "\${1:-} \${2:-}" != "R decode" ]] || echo "\${SHORT_STUB:-rank0/core[0-1]}"
eval "\${FLUX_STUB:-}"
`;

/**
 * A sandbox that stands for a pod: a script gets the environment of the container, with its folders in a temporary
 * folder, and `flux` is a stub.
 */
export class Sandbox {
    readonly root = mkdtempSync(join(tmpdir(), "pod-"));
    readonly variables: Record<string, string>;
    private readonly children: ChildProcess[] = [];

    constructor(args: Partial<PlainArgs> = {}, rank = 0, secretNames: readonly string[] = []) {
        this.variables = {
            ...this.inSandbox(environment(makeSpec(args, secretNames))),
            JOB_COMPLETION_INDEX: String(rank),
            HOSTNAME: `lammps-${rank}`,
            HOME: this.root,
            SANDBOX: this.root,
            PATH: `${this.path("bin")}:/usr/bin:/bin`,
        };
        this.write("bin/flux", STUB, 0o755);
        symlinkSync(BASH, this.path("bin/bash"));
        this.write("etc/curve/curve.cert", "the key", 0o400);
        this.write("etc/flux/config/broker.toml", "[tbon]\n");
        this.write("etc/hosts", "127.0.0.1\tlocalhost\n10.96.0.7\tlammps-lead\n");
        mkdirSync(this.path("run/flux"), { recursive: true });
        const { [BROKER_CONFIG_FILE]: _, ...scripts } = configFiles(
            makeSpec({ restful: { enabled: false }, ...args }, secretNames),
        );
        for (const [script, text] of Object.entries(scripts)) {
            this.write(`etc/flux-minicluster/${script}`, text);
        }
    }

    /** Moves the paths in variables into the sandbox. */
    private inSandbox(list: readonly { name?: string; value?: string }[]): Record<string, string> {
        const paths: string[] = [
            SCRIPT_ENVIRONMENT.certificate,
            SCRIPT_ENVIRONMENT.config,
            SCRIPT_ENVIRONMENT.hosts,
            SCRIPT_ENVIRONMENT.run,
            SCRIPT_ENVIRONMENT.scripts,
            SCRIPT_ENVIRONMENT.state,
            SCRIPT_ENVIRONMENT.terminationLog,
            RESTFUL_ENVIRONMENT.install,
            RESTFUL_ENVIRONMENT.keys,
        ];
        const plain = list.filter(({ value }) => value !== undefined);
        const entries = plain.map(({ name = "", value = "" }): [string, string] => [
            name,
            paths.includes(name) ? this.path(value) : value,
        ]);
        mkdirSync(this.path("dev"), { recursive: true });
        return Object.fromEntries(entries);
    }

    path(name: string): string {
        return join(this.root, name);
    }

    write(name: string, text: string, mode = 0o644): void {
        mkdirSync(dirname(this.path(name)), { recursive: true });
        rmSync(this.path(name), { force: true });
        writeFileSync(this.path(name), text);
        chmodSync(this.path(name), mode);
    }

    /** Makes the socket of a broker that runs. */
    async listen(): Promise<void> {
        const path = this.path("run/flux/broker/local");
        mkdirSync(dirname(path), { recursive: true });
        const server = createServer().listen(path).unref();
        await once(server, "listening");
    }

    read(name: string): string {
        return readFileSync(this.path(name), "utf8");
    }

    has(name: string): boolean {
        return existsSync(this.path(name));
    }

    /** A PATH with only these programs of the machine. */
    only(...programs: string[]): string {
        mkdirSync(this.path("only"), { recursive: true });
        for (const program of programs) {
            const from = ["/usr/bin", "/bin"].map((folder) => join(folder, program)).find(existsSync);
            if (from !== undefined) {
                symlinkSync(from, this.path(`only/${program}`));
            }
        }
        return this.path("only");
    }

    /** Starts a script without waiting for it. */
    start(script: string, words: readonly string[] = [], variables: Record<string, string> = {}): Running {
        return this.startWith(
            [["wait", "ready", "joined", "leave", "notice"].includes(script) ? "/bin/sh" : BASH],
            script,
            words,
            variables,
        );
    }

    /** Starts a script in a shell of the caller's choice. */
    startWith(
        shell: readonly string[],
        script: string,
        words: readonly string[] = [],
        variables: Record<string, string> = {},
    ): Running {
        const [program, ...options] = shell;
        const child = spawn(program, [...options, this.path(`etc/flux-minicluster/${script}.sh`), ...words], {
            cwd: this.root,
            env: { ...this.variables, ...variables },
            stdio: ["ignore", "pipe", "pipe"],
        });
        this.children.push(child);
        return new Running(child);
    }

    run(script: string, words: readonly string[] = [], variables: Record<string, string> = {}): Promise<Ended> {
        return this.start(script, words, variables).ended;
    }

    /** The calls of the stub so far. */
    get calls(): Call[] {
        if (!this.has("calls")) {
            return [];
        }
        const calls = this.read("calls").split("\n\0").slice(0, -1);
        return calls.map((call) => call.split("\0").slice(0, -1));
    }

    /** Waits until something holds. */
    async until(holds: () => boolean, what: string): Promise<void> {
        await soon(what, holds);
    }

    remove(): void {
        this.children.forEach((child) => child.kill("SIGKILL"));
        rmSync(this.root, { recursive: true, force: true });
    }
}

export class Running {
    readonly ended: Promise<Ended>;
    /** The exit code of the script, even while a process that it has started still runs. */
    readonly exit: Promise<number | null>;
    stdout = "";
    stderr = "";

    constructor(private readonly child: ChildProcess) {
        child.stdout!.on("data", (chunk: Buffer) => (this.stdout += chunk));
        child.stderr!.on("data", (chunk: Buffer) => (this.stderr += chunk));
        this.exit = new Promise((resolve) => child.once("exit", resolve));
        this.ended = new Promise((resolve) => {
            child.once("close", (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
        });
    }

    get pid(): number {
        return this.child.pid!;
    }

    /** The name of the program that runs now: exec changes it. */
    get program(): string {
        return readFileSync(`/proc/${this.pid}/comm`, "utf8").trim();
    }

    /** Sends a signal as soon as the text appears on standard error. */
    signalAt(text: string, signal: NodeJS.Signals): void {
        const look = () => {
            if (this.stderr.includes(text)) {
                this.child.stderr!.off("data", look);
                this.signal(signal);
            }
        };
        this.child.stderr!.on("data", look);
    }

    signal(signal: NodeJS.Signals): void {
        this.child.kill(signal);
    }
}

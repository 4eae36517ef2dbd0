import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../scripts/local/paths";
import { run } from "../../scripts/local/run";

/** A program, and the configuration of its stack. */
export interface Project {
    /** The content of Pulumi.yaml without the name. */
    readonly settings: object;
    readonly config: Readonly<Record<string, unknown>>;
    readonly environment?: Readonly<Record<string, string>>;
}

/** The settings of a program in TypeScript in a folder of test/bench/projects. */
export function nodeProgram(folder: "floor" | "miniCluster" | "plain"): object {
    return { runtime: "nodejs", main: join(PROJECTS, folder, "index.ts") };
}

export const PROJECTS = join(root, "test", "bench", "projects");

/** A stack that is used like a user's: with a program on disk and the command line. */
export class CommandLine {
    constructor(
        private readonly cwd: string,
        private readonly stack: string,
        private readonly environment: Project["environment"],
    ) {}

    /** Writes Pulumi.yaml for the next commands. */
    use(settings: Project["settings"]): void {
        writeFileSync(join(this.cwd, "Pulumi.yaml"), JSON.stringify({ name: "bench", ...settings }));
    }

    up(): Promise<string> {
        return this.pulumi("up", "--yes", "--skip-preview");
    }

    preview(): Promise<string> {
        return this.pulumi("preview");
    }

    destroy(): Promise<string> {
        return this.pulumi("destroy", "--yes", "--skip-preview");
    }

    async init(config: Project["config"]): Promise<void> {
        await this.pulumi("stack", "init");
        for (const [key, value] of Object.entries(config)) {
            await this.pulumi("config", "set", key, typeof value === "string" ? value : JSON.stringify(value));
        }
    }

    private pulumi(...words: string[]): Promise<string> {
        const env = {
            ...process.env,
            ...this.environment,
            PULUMI_BACKEND_URL: `file://${join(this.cwd, "backend")}`,
            PULUMI_CONFIG_PASSPHRASE: "",
        };
        return run("pulumi", [...words, "--non-interactive", "--stack", this.stack], { cwd: this.cwd, env });
    }
}

/** Runs an action on a stack with its own backend, in a folder that is removed with the stack. */
export async function withStack<T>(
    name: string,
    { config, environment, settings }: Project,
    action: (stack: CommandLine) => Promise<T>,
): Promise<T> {
    const cwd = mkdtempSync(join(tmpdir(), "flux-minicluster-bench-"));
    const stack = new CommandLine(cwd, name, environment);
    mkdirSync(join(cwd, "backend"));
    stack.use(settings);
    try {
        await stack.init(config);
        try {
            return await action(stack);
        } finally {
            await stack.destroy();
        }
    } finally {
        rmSync(cwd, { recursive: true, force: true });
    }
}

/** Seconds that an action takes. */
export async function seconds(action: () => Promise<unknown>): Promise<number> {
    const started = performance.now();
    await action();
    return (performance.now() - started) / 1000;
}

import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { root } from "../../../scripts/local/paths";
import { timed } from "../../../scripts/tests/measure";
import { readCheckpoint, type StateResource } from "./checkpoint";
import { keyServiceEnvironment, SECRETS_PROVIDER } from "./keyService";
import { type Block, blocksIn, withImage } from "./pageBlocks";
import { programEnvironment } from "./stack";

export interface PageOptions {
    /** The image that replaces the page's. */
    readonly image: string;
    /** Further variables of the shell, such as a language's. */
    readonly environment?: Readonly<Record<string, string>>;
    readonly kubeconfig: string;
}

/**
 * The README of an example, whose commands run as they stand, in a copy of the example's folder; or another page, whose
 * commands run in an empty folder. All blocks run in one shell, as in the reader's: a folder, variables and background
 * processes of a block stay for the next one.
 */
export class Page {
    /** The copy of the example, or the empty folder. */
    readonly folder: string;
    readonly text: string;
    /** The blocks that run, in the order of the page. */
    readonly blocks: readonly Block[];
    private readonly draft = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
    private shell: ChildProcess | undefined;
    private next = 0;

    /** Takes the name of the example's folder in examples/, or the path of a page: docs/start.md. */
    constructor(
        example: string,
        private readonly options: PageOptions,
    ) {
        const isExample = !example.endsWith(".md");
        const name = isExample ? join("examples", example, "README.md") : example;
        this.text = readFileSync(join(root, name), "utf8");
        const blocks = blocksIn(this.text, name);
        const tested = blocks.filter(({ untested }) => untested === undefined);
        this.blocks = withImage(tested, options.image, name);
        this.folder = isExample ? this.copy(example) : join(this.draft, "home");
        mkdirSync(this.backend);
        mkdirSync(this.folder, { recursive: true });
    }

    /** Runs the blocks that have not run yet, or so many of them. Returns what each has printed. */
    async run(count = this.blocks.length - this.next): Promise<string[]> {
        const printed: string[] = [];
        for (const block of this.blocks.slice(this.next, this.next + count)) {
            printed.push(await timed("run a block of a page", () => this.runBlock(block, this.next++)));
        }
        return printed;
    }

    /** The resources in the states of all stacks that the page has made, with encrypted secrets. */
    resources(): readonly StateResource[] {
        const states = globSync(join(this.backend, ".pulumi", "stacks", "**", "*.json"));
        return states.flatMap((path) => readCheckpoint(path).resources);
    }

    /** Ends the shell with its background processes, and removes the copy. */
    forget(): void {
        if (this.shell?.pid !== undefined && this.shell.exitCode === null && this.shell.signalCode === null) {
            process.kill(-this.shell.pid, "SIGKILL");
        }
        rmSync(this.draft, { recursive: true, force: true });
    }

    private get backend(): string {
        return join(this.draft, "backend");
    }

    /**
     * Copies all examples, because some use files of others. Node and TypeScript find packages and settings in the
     * folders above the copy, as in this repository.
     */
    private copy(example: string): string {
        const examples = join(this.draft, "examples");
        const isOurs = (path: string) => !/^(?:node_modules|venv|Pulumi\..+\.yaml)$/.test(basename(path));
        cpSync(join(root, "examples"), examples, { recursive: true, filter: isOurs });
        symlinkSync(join(root, "node_modules"), join(this.draft, "node_modules"));
        symlinkSync(join(root, "tsconfig.json"), join(this.draft, "tsconfig.json"));
        return join(examples, example);
    }

    private async runBlock({ commands, line }: Block, index: number): Promise<string> {
        const [script, output] = [join(this.draft, `${index}.sh`), join(this.draft, `${index}.txt`)];
        writeFileSync(script, commands);
        // A file gets the output, because a background process keeps it open.
        const status = await this.tell(`. ${script} < /dev/null > ${output} 2>&1`);
        const printed = readFileSync(output, "utf8");
        if (status !== undefined) {
            throw new Error(`The block at line ${line} failed (${status}):\n${commands}\nIt printed:\n${printed}`);
        }
        return printed;
    }

    /** Runs a command in the shell. Returns why the shell has ended, unless it goes on. */
    private async tell(command: string): Promise<string | undefined> {
        const shell = (this.shell ??= await this.open());
        return new Promise((resolve) => {
            const ended = (code: number | null, signal: string | null) => resolve(signal ?? `exit code ${code}`);
            shell.once("close", ended);
            shell.stdout?.once("data", () => {
                shell.off("close", ended);
                resolve(undefined);
            });
            shell.stdin?.write(`${command}\necho done\n`);
        });
    }

    private async open(): Promise<ChildProcess> {
        const { environment, kubeconfig } = this.options;
        const env = {
            ...process.env,
            ...programEnvironment(this.backend, kubeconfig),
            ...(await keyServiceEnvironment()),
            // Nobody answers the questions of Pulumi, and a preview before each update would start the engine again.
            PULUMI_OPTION_SKIP_PREVIEW: "true",
            PULUMI_OPTION_SECRETS_PROVIDER: SECRETS_PROVIDER,
            ...environment,
        };
        const words = ["--noprofile", "--norc", "-e", "-o", "pipefail"];
        const stdio: StdioOptions = ["pipe", "pipe", "inherit"];
        const shell = spawn("bash", words, { cwd: this.folder, env, detached: true, stdio });
        // A block that fails ends the shell, and its background processes with it.
        shell.stdin?.write("trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n");
        return shell;
    }
}

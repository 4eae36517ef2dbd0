import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
    type EngineEvent,
    LocalWorkspace,
    type OpMap,
    type ProjectSettings,
    PulumiCommand,
    type PulumiFn,
    Stack,
} from "@pulumi/pulumi/automation";

import { run } from "../../../scripts/local/run";
import { timed } from "../../../scripts/tests/measure";
import { type Checkpoint, hasSecrets, outputsOf, readCheckpoint, type StateResource } from "./checkpoint";
import { checkpointPath, createEmptyStack, PROJECT } from "./emptyStack";
import { EngineSteps } from "./engineSteps";
import { plugin } from "../../../scripts/local/paths";
import "./inlinePrograms";
import { keyServiceEnvironment, SECRETS_PROVIDER } from "./keyService";
import { until } from "./until";

/** A Pulumi program: a function in this process, or a folder. */
export type Program = PulumiFn | { readonly dir: string; readonly host?: Host };

/** What runs the program in a folder. */
export interface Host {
    readonly settings: Pick<ProjectSettings, "runtime"> & { readonly plugins?: object };
    readonly environment: Readonly<Record<string, string>>;
    /** Folder of another Pulumi, which has `bin/pulumi`. @default the Pulumi of all tests */
    readonly pulumi?: string;
}

export interface StackOptions {
    readonly name: string;
    readonly program: Program;
    /** Path of the kubeconfig in Pulumi's environment. */
    readonly kubeconfig: string;
    readonly config?: Readonly<Record<string, string>>;
    /** Folder of the backend, for a stack that reads another stack's outputs. @default its own backend */
    readonly backend?: string;
}

/** The result of a successful Pulumi command. */
export interface Result {
    /** The command's output. */
    readonly text: string;
    readonly events: readonly EngineEvent[];
    readonly outputs: Readonly<Record<string, any>>;
    readonly seconds: number;
}

export interface Failure {
    readonly text: string;
    readonly events: readonly EngineEvent[];
}

/** A command of Pulumi, or what runs one. */
type Command = "destroy" | "preview" | "refresh" | "up" | (() => Promise<unknown>);

let pulumi: Promise<PulumiCommand> | undefined;

/** A preview waits five seconds for the lead's answer, and only warns without it. */
const UNANSWERED = /known which Flux jobs that ends: .* within \d+ s/;

/** Repeats a preview whose lead was too busy to answer. The warnings are in its events, and not in its text. */
function answered<T>(preview: () => Promise<T>, warningsOf: (result: T) => string): Promise<T> {
    return until("the lead answers a preview", async () => {
        const result = await preview();
        return UNANSWERED.test(warningsOf(result)) ? undefined : result;
    });
}

const messagesIn = (events: readonly EngineEvent[]): string =>
    events.map(({ diagnosticEvent }) => diagnosticEvent?.message ?? "").join("\n");

/** A stack with its own project and backend, in one temporary folder. */
export class TestStack {
    /** The output of all Pulumi commands on this stack. */
    printed = "";
    private readonly folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
    private opened: Promise<Stack> | undefined;

    constructor(private readonly options: StackOptions) {}

    get backend(): string {
        return this.options.backend ?? join(this.folder, "backend");
    }

    /** `parallel` is the number of resources at a time. */
    up(expectNoChanges = false, parallel?: number): Promise<Result> {
        return this.run((stack, onEvent, onOutput) => stack.up({ onEvent, onOutput, expectNoChanges, parallel }));
    }

    preview(expectNoChanges = false): Promise<Result & { readonly changes: OpMap }> {
        const preview = (): Promise<Result & { readonly changes: OpMap }> =>
            this.run((stack, onEvent, onOutput) => stack.preview({ onEvent, onOutput, expectNoChanges, diff: true }));
        return answered(preview, ({ events }) => messagesIn(events));
    }

    refresh(expectNoChanges = false): Promise<Result> {
        return this.run((stack, onEvent, onOutput) => stack.refresh({ onEvent, onOutput, expectNoChanges }));
    }

    /** Requires that cluster, state and program agree. `up --refresh` finds this with one start of the engine. */
    unchanged(): Promise<Result> {
        return this.run((stack, onEvent, onOutput) =>
            stack.up({ onEvent, onOutput, refresh: true, expectNoChanges: true }),
        );
    }

    destroy(): Promise<Result> {
        return this.run((stack, onEvent, onOutput) => stack.destroy({ onEvent, onOutput }));
    }

    /**
     * What Pulumi's command line prints as JSON of a preview, also of one that fails. The program must be in a folder,
     * because the JSON comes from no command of the Automation API.
     */
    async digest(verb: "destroy" | "preview"): Promise<string> {
        const { name, workspace } = await this.open();
        const { envVars, pulumiCommand, workDir } = workspace;
        const words = verb === "destroy" ? ["destroy", "--preview-only"] : ["preview"];
        const args = [...words, "--json", "--non-interactive", "--stack", name];
        const options = { cwd: workDir, env: { ...process.env, ...envVars }, maxBuffer: 64 << 20 };
        const preview = () =>
            new Promise<string>((resolve) => {
                execFile(pulumiCommand.command, args, options, (_error, stdout) => resolve(stdout));
            });
        return answered(preview, (text) => text);
    }

    /** Runs a command that must fail. Returns its output. */
    fails(what: Command): Promise<Failure> {
        // An update whose check had no answer refuses later, in other words.
        return answered(
            () => this.failsOnce(what),
            ({ events }) => messagesIn(events),
        );
    }

    private async failsOnce(what: Command): Promise<Failure> {
        const from = this.printed.length;
        try {
            await (typeof what === "function" ? what() : this[what]());
        } catch (error) {
            const { events = [], message } = error as Error & { events?: EngineEvent[] };
            return { text: `${this.printed.slice(from)}\n${message}`, events };
        }
        throw new Error(`pulumi ${typeof what === "function" ? "" : what} succeeded:\n${this.printed.slice(from)}`);
    }

    /** Updates what can be updated. Some of it must fail. */
    failsInPart(): Promise<Failure> {
        return this.fails(() =>
            this.run((stack, onEvent, onOutput) => stack.up({ onEvent, onOutput, continueOnError: true })),
        );
    }

    /** Replaces a resource by its URN in an update. With `only` the update changes no other resource. */
    replace(urn: string, only = false): Promise<Result> {
        const target = only ? { target: [urn] } : {};
        return this.run((stack, onEvent, onOutput) => stack.up({ onEvent, onOutput, replace: [urn], ...target }));
    }

    /** Runs `pulumi state taint`, after which the next update replaces the resource, or `pulumi state untaint`. */
    mark(verb: "taint" | "untaint", urn: string): Promise<void> {
        return this.changeState(verb, urn);
    }

    /** Runs `pulumi state rename`. */
    rename(urn: string, name: string): Promise<void> {
        return this.changeState("rename", urn, name);
    }

    private async changeState(...words: readonly string[]): Promise<void> {
        const { name, workspace } = await this.open();
        const { envVars, pulumiCommand, workDir } = workspace;
        const args = ["state", ...words, "--yes", "--stack", name];
        await run(pulumiCommand.command, args, { cwd: workDir, env: { ...process.env, ...envVars } });
    }

    /** The state in the backend's file, with encrypted secrets. Reading it needs no Pulumi command. */
    state(): Checkpoint {
        return readCheckpoint(checkpointPath(this.backend, this.options.name));
    }

    /** The resources in the state, with encrypted secrets. */
    resources(): readonly StateResource[] {
        return this.state().resources;
    }

    /** The resources in the state, with plain secrets. */
    async decrypted(): Promise<readonly StateResource[]> {
        return (await (await this.open()).exportStack()).deployment.resources ?? [];
    }

    /** The contents of all files that Pulumi wrote for this stack. */
    files(): string[] {
        const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true });
        return entries
            .filter((entry) => entry.isFile())
            .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    }

    /** Removes the stack's folder, and keeps the stack's resources. */
    forget(): void {
        rmSync(this.folder, { recursive: true, force: true });
    }

    /** Runs any command of the Automation API. */
    async run<T extends { stdout: string }>(
        command: (stack: Stack, onEvent: (event: EngineEvent) => void, onOutput: (text: string) => void) => Promise<T>,
    ): Promise<any> {
        const stack = await this.open();
        const events: EngineEvent[] = [];
        const steps = new EngineSteps();
        const started = Date.now();
        let text = "";
        const onOutput = (part: string) => {
            text += part;
            this.printed += part;
        };
        try {
            const onEvent = (event: EngineEvent) => {
                events.push(event);
                steps.see(event);
            };
            const result: any = await command(stack, onEvent, onOutput).finally(() => steps.end());
            const outputs = Object.entries<{ value: unknown }>(result.outputs ?? {}).map(([name, { value }]) => [
                name,
                value,
            ]);
            const seconds = (Date.now() - started) / 1000;
            return { text, events, outputs: Object.fromEntries(outputs), seconds, changes: result.changeSummary ?? {} };
        } catch (error) {
            this.printed += (error as Error).message;
            throw Object.assign(error as Error, { events });
        }
    }

    open(): Promise<Stack> {
        this.opened ??= timed("make a stack", () => this.make());
        return this.opened;
    }

    private async make(): Promise<Stack> {
        const { config = {}, kubeconfig, name, program } = this.options;
        mkdirSync(this.backend, { recursive: true });
        const environment = {
            ...programEnvironment(this.backend, kubeconfig),
            PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK: "true",
            ...(await keyServiceEnvironment()),
        };
        const inline = typeof program === "function" ? { program } : {};
        // In this folder Pulumi looks for the packages of dynamic resources.
        const main = typeof program === "object" ? program.dir : process.cwd();
        const host = (typeof program === "object" && program.host) || nodejs();
        const pulumiCommand = await commandOf(host);
        const workspace = await LocalWorkspace.create({
            workDir: this.folder,
            envVars: { ...environment, ...host.environment },
            secretsProvider: SECRETS_PROVIDER,
            pulumiCommand,
            projectSettings: { name: PROJECT, main, ...host.settings },
            ...inline,
        });
        if (host.pulumi === undefined) {
            workspace.createStack = createEmptyStack(workspace, this.backend);
        }
        const stack = await Stack.create(name, workspace);
        if (Object.keys(config).length > 0) {
            await stack.setAllConfig(
                Object.fromEntries(Object.entries(config).map(([key, value]) => [key, { value }])),
            );
        }
        return Object.assign(
            stack,
            questionsOf(stack, () => this.state()),
        );
    }
}

/** Variables of each command of Pulumi. */
export function programEnvironment(backend: string, kubeconfig: string): Record<string, string> {
    return {
        KUBECONFIG: kubeconfig,
        PULUMI_BACKEND_URL: `file://${backend}`,
        PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
        // `npm run typecheck` checks the types of the programs, which are the examples.
        PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    };
}

function commandOf(host: Host): Promise<PulumiCommand> {
    return host.pulumi === undefined
        ? (pulumi ??= PulumiCommand.get({ skipVersionCheck: true }))
        : PulumiCommand.get({ root: host.pulumi, skipVersionCheck: true });
}

const nodejs = (): Host => ({ settings: { runtime: "nodejs", plugins: { providers: [plugin] } }, environment: {} });

/**
 * The calls of the Automation API after each command. Its own calls are three more commands: the outputs with secrets
 * and without, and the history, which no test reads. Here outputs without a secret come from the state's file.
 */
function questionsOf({ name, workspace }: Stack, state: () => Checkpoint): Pick<Stack, "info" | "outputs"> {
    const { envVars, pulumiCommand, workDir } = workspace;
    const args = ["stack", "output", "--json", "--show-secrets", "--stack", name];
    const decrypted = () =>
        timed("decrypt outputs", async () =>
            JSON.parse(await run(pulumiCommand.command, args, { cwd: workDir, env: { ...process.env, ...envVars } })),
        );
    return {
        info: async () => undefined,
        outputs: async () => {
            const stored = outputsOf(state());
            const outputs: Record<string, unknown> = hasSecrets(stored) ? await decrypted() : stored;
            return Object.fromEntries(Object.entries(outputs).map(([key, value]) => [key, { value, secret: false }]));
        },
    };
}

/** The operation on each resource in these events, by resource name. */
export function operations(events: readonly EngineEvent[]): Record<string, string> {
    const steps = events.flatMap(({ resourcePreEvent }) =>
        resourcePreEvent === undefined ? [] : [resourcePreEvent.metadata],
    );
    return Object.fromEntries(steps.map(({ op, urn }) => [urn.split("::").at(-1), op]));
}

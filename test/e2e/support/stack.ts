import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
    type EngineEvent, LocalWorkspace, type OpMap, PulumiCommand, type PulumiFn, type Stack,
} from "@pulumi/pulumi/automation";

import { run } from "../../../local/run";
import "./inlinePrograms";

/** A Pulumi program: a function of this process, or a folder. */
export type Program = PulumiFn | { readonly dir: string };

export interface StackOptions {
    readonly name: string;
    readonly program: Program;
    /** Path of the kubeconfig that Pulumi finds in its environment. */
    readonly kubeconfig: string;
    readonly config?: Readonly<Record<string, string>>;
    /** Folder of the backend, where another stack's outputs are to be found. @default one of its own */
    readonly backend?: string;
}

/** What a command of Pulumi did. */
export interface Result {
    /** Everything it printed. */
    readonly text: string;
    readonly events: readonly EngineEvent[];
    readonly outputs: Readonly<Record<string, any>>;
    readonly seconds: number;
}

/** A resource in the state. */
export interface StateResource {
    readonly type: string;
    readonly urn: string;
    readonly id?: string;
    readonly inputs?: Record<string, any>;
    readonly outputs?: Record<string, any>;
}

export interface Failure {
    readonly text: string;
    readonly events: readonly EngineEvent[];
}

const PASSPHRASE = "correct horse battery staple";

/** A stack with a project and a backend of its own, both in a folder that goes when it does. */
export class TestStack {
    /** All that Pulumi has ever printed about this stack. */
    printed = "";
    private readonly folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
    private opened: Promise<Stack> | undefined;

    constructor(private readonly options: StackOptions) {}

    get backend(): string {
        return this.options.backend ?? join(this.folder, "backend");
    }

    up(expectNoChanges = false): Promise<Result> {
        return this.run((stack, onEvent, onOutput) => stack.up({ onEvent, onOutput, expectNoChanges }));
    }

    preview(expectNoChanges = false): Promise<Result & { readonly changes: OpMap }> {
        return this.run((stack, onEvent, onOutput) => stack.preview({ onEvent, onOutput, expectNoChanges, diff: true }));
    }

    refresh(expectNoChanges = false): Promise<Result> {
        return this.run((stack, onEvent, onOutput) => stack.refresh({ onEvent, onOutput, expectNoChanges }));
    }

    destroy(): Promise<Result> {
        return this.run((stack, onEvent, onOutput) => stack.destroy({ onEvent, onOutput }));
    }

    /** Runs what must not succeed, and gives what it said. */
    async fails(verb: "destroy" | "preview" | "refresh" | "up"): Promise<Failure> {
        const from = this.printed.length;
        try {
            await this[verb]();
        } catch (error) {
            const { events = [], message } = error as Error & { events?: EngineEvent[] };
            return { text: `${this.printed.slice(from)}\n${message}`, events };
        }
        throw new Error(`pulumi ${verb} succeeded:\n${this.printed.slice(from)}`);
    }

    /** The resources in the state, with their secrets decrypted. */
    async resources(): Promise<StateResource[]> {
        return (await (await this.open()).exportStack()).deployment.resources ?? [];
    }

    /** Every file that Pulumi wrote about this stack. */
    files(): string[] {
        const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true });
        return entries.filter((entry) => entry.isFile()).map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    }

    /** Destroys what is left and forgets everything. */
    async close(): Promise<void> {
        try {
            if (this.opened !== undefined && (await this.resources()).length > 0) {
                await this.destroy();
            }
        } finally {
            rmSync(this.folder, { recursive: true, force: true });
        }
    }

    /** A command of the Automation API that has no method here. */
    async run<T extends { stdout: string }>(
        command: (stack: Stack, onEvent: (event: EngineEvent) => void, onOutput: (text: string) => void) => Promise<T>,
    ): Promise<any> {
        const stack = await this.open();
        const events: EngineEvent[] = [];
        const started = Date.now();
        let text = "";
        const onOutput = (part: string) => {
            text += part;
            this.printed += part;
        };
        try {
            const result: any = await command(stack, (event) => events.push(event), onOutput);
            const outputs = Object.entries<{ value: unknown }>(result.outputs ?? {}).map(([name, { value }]) => [name, value]);
            const seconds = (Date.now() - started) / 1000;
            return { text, events, outputs: Object.fromEntries(outputs), seconds, changes: result.changeSummary ?? {} };
        } catch (error) {
            this.printed += (error as Error).message;
            throw Object.assign(error as Error, { events });
        }
    }

    open(): Promise<Stack> {
        this.opened ??= this.make();
        return this.opened;
    }

    private async make(): Promise<Stack> {
        const { config = {}, kubeconfig, name, program } = this.options;
        mkdirSync(this.backend, { recursive: true });
        const environment = {
            KUBECONFIG: kubeconfig,
            PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK: "true",
            PULUMI_BACKEND_URL: `file://${this.backend}`,
            PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
            PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
        };
        const pulumiCommand = await PulumiCommand.get({ skipVersionCheck: true });
        const options = { workDir: this.folder, envVars: environment, secretsProvider: "passphrase", pulumiCommand };
        if (typeof program === "object") {
            const project = { name: "e2e", runtime: "nodejs", main: program.dir };
            writeFileSync(join(this.folder, "Pulumi.yaml"), JSON.stringify(project));
        }
        const stack = await (typeof program === "object"
            ? LocalWorkspace.createOrSelectStack({ stackName: name, workDir: this.folder }, options)
            : LocalWorkspace.createOrSelectStack({ stackName: name, projectName: "e2e", program }, options));
        if (Object.keys(config).length > 0) {
            await stack.setAllConfig(Object.fromEntries(Object.entries(config).map(([key, value]) => [key, { value }])));
        }
        return Object.assign(stack, questionsOf(stack));
    }
}

/**
 * What the Automation API asks after each command. Its own way is three more commands of a second each: the outputs with
 * secrets and without, and the history, which no test reads.
 */
function questionsOf({ name, workspace }: Stack): Pick<Stack, "info" | "outputs"> {
    const { envVars, pulumiCommand, workDir } = workspace;
    const args = ["stack", "output", "--json", "--show-secrets", "--stack", name];
    const env = { ...process.env, ...envVars };
    return {
        info: async () => undefined,
        outputs: async () => {
            const outputs = Object.entries(JSON.parse(await run(pulumiCommand.command, args, { cwd: workDir, env })) as Record<string, unknown>);
            return Object.fromEntries(outputs.map(([key, value]) => [key, { value, secret: false }]));
        },
    };
}

/** What was done, or is to be done, to each resource, by its name. */
export function operations(events: readonly EngineEvent[]): Record<string, string> {
    const steps = events.flatMap(({ resourcePreEvent }) => (resourcePreEvent === undefined ? [] : [resourcePreEvent.metadata]));
    return Object.fromEntries(steps.map(({ op, urn }) => [urn.split("::").at(-1), op]));
}

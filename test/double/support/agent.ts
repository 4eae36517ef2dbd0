import { agentScript } from "../../../provider/flux/agent/text";
import { type Running, start } from "./flux";
import type { Instance } from "./instance";

interface Message {
    readonly id?: number;
    readonly code?: number;
    readonly ready?: boolean;
    readonly out?: string;
    readonly err?: string;
    readonly stream?: string;
    readonly text?: string;
    readonly at?: readonly number[];
}

/** What a request has got until now. */
export interface Answer {
    readonly code: number | undefined;
    readonly out: string;
    readonly err: string;
    readonly shown: Readonly<Record<string, string>>;
    readonly messages: readonly Message[];
}

/** An agent in an instance, as the provider runs it. */
export class TestAgent {
    private count = 0;

    private constructor(readonly running: Running) {}

    /** Starts an agent. `faults` is added to the texts of its modules. */
    static async start(
        instance: Instance,
        more: object = {},
        { folder = "/", faults = {} }: { folder?: string; faults?: Readonly<Record<string, string>> } = {},
    ): Promise<TestAgent> {
        const run = instance.path("run");
        const env = { FLUX_URI: instance.uri(), MINICLUSTER_RUN: run, MINICLUSTER_SCRIPTS: "/none", ...more };
        const added = Object.entries(faults).map(([name, text]) => `MODULES["${name}"] += ${JSON.stringify(text)}\n`);
        const begin = agentScript().replace("\nmain(", () => `\n${added.join("")}main(`);
        return new TestAgent(await start(["env", "-C", folder, "bash", "-s"], { begin, env }));
    }

    /** Sends a request; returns its number. */
    send(...words: string[]): number {
        this.running.write(`${JSON.stringify({ id: ++this.count, words })}\n`);
        return this.count;
    }

    say(message: object): void {
        this.running.write(`${JSON.stringify(message)}\n`);
    }

    /** Asks, and gives the last word as often as the agent wants it. */
    async ask(...words: string[]): Promise<Answer> {
        const id = this.send(...words);
        for (let times = 1; ; times++) {
            await this.running.says(new RegExp(`"id":${id},"code"|("id":${id},"ready"[^]*){${times}}`));
            const answer = this.seen(id);
            if (answer.code !== undefined) {
                return answer;
            }
            this.say({ id, go: true });
        }
    }

    async answer(id: number): Promise<Answer> {
        await this.running.says(new RegExp(`"id":${id},"code"`));
        return this.seen(id);
    }

    seen(id: number): Answer {
        const messages = this.running.stdout
            .split("\n")
            .filter((line) => line.startsWith("{") && line.endsWith("}"))
            .map((line) => JSON.parse(line) as Message)
            .filter((message) => message.id === id);
        const shown: Record<string, string> = {};
        for (const { stream, text = "" } of messages) {
            if (stream !== undefined) {
                shown[stream] = (shown[stream] ?? "") + Buffer.from(text, "latin1").toString();
            }
        }
        const last = messages.find((message) => message.code !== undefined);
        return { code: last?.code, out: last?.out ?? "", err: last?.err ?? "", shown, messages };
    }

    /** Ends the connection. */
    async end(): Promise<number> {
        this.running.endInput();
        return (await this.running.ended).code;
    }
}

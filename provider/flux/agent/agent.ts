import { PassThrough, Writable } from "node:stream";

import type { Kube } from "../../kubernetes/client";
import { orTold } from "../../kubernetes/failures/slowAnswer";
import { attach, type Container, type Executed } from "../../kubernetes/streams/exec";
import { lost, timeout } from "../../kubernetes/streams/socket";
import { complaint } from "../calls";
import { BUSY, SILENCE_SECONDS } from "../protocol";
import { busy, endOf } from "./failure";
import { agentScript } from "./text";

/** Milliseconds between two lines that keep the agent, which ends a minute after the last one. */
const PULSE = 15_000;

/** Calls whose answer comes at the end of a job. */
const LASTING: readonly string[] = ["watch", "follow", "watch_output"];

/** A part of what a request asks for. */
export interface Part {
    readonly stream?: "end" | "exception" | "progress" | "stderr" | "stdout";
    /** Bytes, one in each character. */
    readonly text?: string;
    /** The position after it: parts of the output, and events after them. */
    readonly at?: readonly [number, number];
    /** Messages on exceptions until now. */
    readonly exceptions?: number;
}

/** A request of the agent. */
export interface AgentCall {
    /** The name of a call of agent.py, and its arguments. */
    readonly words: readonly string[];
    /** Ends the request. */
    readonly signal: AbortSignal;
    /** Timeout: then the request fails, and may be repeated. */
    readonly seconds?: number;
    /** Takes a part. Nothing more is read until it has taken it. */
    take?(part: Part): Promise<void>;
    /** Is called when the agent runs. */
    readonly connected?: () => void;
}

interface Message extends Part {
    readonly id?: number;
    readonly ready?: boolean;
    readonly code?: number;
    readonly out?: string;
    readonly err?: string;
}

interface Pending {
    readonly resolve: (done: Executed) => void;
    readonly reject: (reason: unknown) => void;
    readonly take: AgentCall["take"];
}

/** The connection with the agent in a lead: the one program there that serves all FluxJobs with the same client of a cluster. */
export class Agent {
    /** Why it can't be asked any more. */
    failure: Error | undefined;
    /** True if the lead had no place for a request: then the place of this agent is for others as soon as it is idle. */
    wasBusy = false;
    /** Is called when it has no request left. */
    onIdle: () => void = () => {};
    private readonly pending = new Map<number, Pending>();
    private readonly stdin = new PassThrough();
    private readonly over = new AbortController();
    private readonly running: Promise<void>;
    private readonly pulse: NodeJS.Timeout;
    private tellRunning: () => void = () => {};
    private count = 0;
    private heardAt = performance.now();
    private isTaking = false;
    /** Its pod and server. */
    private readonly place: string;

    constructor(kube: Kube, lead: Container) {
        this.place = `pod ${lead.pod} at ${kube.server}`;
        this.running = new Promise((resolve) => (this.tellRunning = resolve));
        this.stdin.write(agentScript());
        const stderr = new Kept();
        const streams = { stdin: this.stdin, stdout: this.reader(), stderr };
        const ended = attach(kube, lead, { command: ["bash", "-s"], signal: this.over.signal, ...streams });
        const begun = Promise.race([this.running, ended]);
        orTold(`the start of the agent in ${this.place}`, begun).catch(() => undefined);
        ended.then((code) => this.fail(endOf(code, stderr.text))).catch((error: Error) => this.fail(error));
        this.pulse = setInterval(() => this.beat(), PULSE);
    }

    get isIdle(): boolean {
        return this.pending.size === 0;
    }

    /** Asks the agent. An error that isPassing means that the agent was lost, and the request may be repeated. */
    async request({ connected, seconds, signal, take, words }: AgentCall): Promise<Executed> {
        if (this.failure !== undefined) {
            throw this.failure;
        }
        const id = ++this.count;
        const late = seconds === undefined ? undefined : new AbortController();
        const what = "the agent in the lead has not answered";
        const timer = late && setTimeout(() => late.abort(timeout(what, seconds ?? 0)), (seconds ?? 0) * 1000);
        const ends = AbortSignal.any([signal, ...(late ? [late.signal] : [])]);
        const stop = () => this.leave(id, ends.reason);
        const answer = new Promise<Executed>((resolve, reject) => this.pending.set(id, { resolve, reject, take }));
        ends.addEventListener("abort", stop, { once: true });
        this.say({ id, words });
        void this.running.then(connected);
        try {
            // Others last as long as the job.
            return await (LASTING.includes(words[0]) ? answer : orTold(`the agent in ${this.place}`, answer));
        } finally {
            clearTimeout(timer);
            ends.removeEventListener("abort", stop);
            this.pending.delete(id);
            if (this.isIdle) {
                this.onIdle();
            }
        }
    }

    close(): void {
        this.fail(lost("the agent in the lead was ended"));
    }

    private leave(id: number, reason: unknown): void {
        this.say({ id, stop: true });
        this.pending.get(id)?.reject(reason);
    }

    private say(message: object): void {
        this.stdin.write(`${JSON.stringify(message)}\n`);
    }

    private beat(): void {
        // A reader that takes its time reads no answers meanwhile.
        this.heardAt = this.isTaking ? performance.now() : this.heardAt;
        if (performance.now() - this.heardAt > SILENCE_SECONDS * 1000) {
            this.fail(lost("the agent in the lead doesn't answer"));
            return;
        }
        this.say({ alive: true });
    }

    private fail(error: Error): void {
        this.failure ??= error;
        clearInterval(this.pulse);
        this.pending.forEach(({ reject }) => reject(error));
        this.over.abort(error);
    }

    private reader(): Writable {
        let rest = Buffer.alloc(0);
        return new Writable({
            write: (chunk: Buffer, _encoding, done) => {
                const bytes = Buffer.concat([rest, chunk]);
                const end = bytes.lastIndexOf("\n") + 1;
                rest = bytes.subarray(end);
                this.isTaking = true;
                this.hear(bytes.subarray(0, end).toString().split("\n").slice(0, -1))
                    .catch((error: Error) => this.fail(error))
                    .finally(() => (this.isTaking = false))
                    .then(() => done(), done);
            },
        });
    }

    private async hear(lines: readonly string[]): Promise<void> {
        this.heardAt = performance.now();
        for (const line of lines) {
            await this.obey(messageOf(line));
        }
    }

    private async obey({ id, ready, ...message }: Message): Promise<void> {
        if (id === undefined) {
            this.tellRunning();
            return;
        }
        const pending = this.pending.get(id);
        if (ready) {
            this.say(pending === undefined ? { id, stop: true } : { id, go: true });
        } else if (pending !== undefined) {
            this.wasBusy ||= message.code === BUSY;
            await give(pending, message);
        }
    }
}

/** Gives a request its answer, or a part of it. */
async function give(
    { reject, resolve, take }: Pending,
    { code, err = "", out = "", ...part }: Omit<Message, "id" | "ready">,
): Promise<void> {
    if (code === BUSY) {
        reject(busy(complaint(err)));
    } else if (code !== undefined) {
        resolve({ exitCode: code, stdout: out, stderr: err });
    } else {
        await take?.(part).catch(reject);
    }
}

function messageOf(line: string): Message {
    try {
        return JSON.parse(line) as Message;
    } catch {
        throw new Error("the command in the lead printed something else than the agent does");
    }
}

/** Keeps the end of what a command prints. */
class Kept extends Writable {
    text = "";

    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
        this.text = (this.text + chunk.toString()).slice(-4096);
        done();
    }
}

import { ofKnownJob } from "./calls";
import type { Kube } from "../kubernetes/client";
import type { Container } from "../kubernetes/streams/exec";
import { askAgent } from "./agent/agents";
import type { AgentCall, Part } from "./agent/agent";

/** Takes the output of a job. Nothing more is read until it has taken what it was given. */
export interface OutputReader {
    show(stream: "stdout" | "stderr", bytes: Buffer): Promise<void>;
    /** Takes the present end of the output, or the progress that the program has told. */
    tell?(what: "end" | "progress", bytes: Buffer): void;
}

/** Follows a job until its end; returns its events. Undefined if Flux doesn't know it. Fails if the agent is lost. */
export async function followOutput(
    kube: Kube,
    lead: Container,
    output: FollowedOutput,
    call: Omit<AgentCall, "seconds" | "take">,
): Promise<string | undefined> {
    return ofKnownJob(await askAgent(kube, lead, { ...call, take: (part) => output.take(part) }));
}

/** Shows the parts of an output, and knows the position for the next call. */
export class FollowedOutput {
    private at: readonly number[] = [0, 0];
    private exceptions = 0;

    constructor(private readonly output: OutputReader) {}

    /** What has been shown: parts of the output, events after them, and messages of Flux on exceptions. */
    get position(): string[] {
        return [...this.at, this.exceptions].map(String);
    }

    async take({ at, exceptions, stream, text = "" }: Part): Promise<void> {
        const bytes = Buffer.from(text, "latin1");
        if (stream === "end" || stream === "progress") {
            this.output.tell?.(stream, bytes);
        } else if (stream !== undefined) {
            await this.output.show(stream === "stdout" ? "stdout" : "stderr", bytes);
        }
        this.at = at ?? this.at;
        this.exceptions = exceptions ?? this.exceptions;
    }
}

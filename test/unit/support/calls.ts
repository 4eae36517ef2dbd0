import { ARRAY_PROGRAM, EXPLAIN_PROGRAM, PUT_CODE_PROGRAM } from "../../../provider/flux/programs";
import { endOf, printed } from "./fakeExec";

const PROGRAMS: readonly string[] = [ARRAY_PROGRAM, EXPLAIN_PROGRAM, PUT_CODE_PROGRAM];

/** Exit codes of a program that ends by itself or is killed, and answers no request. */
const OWN_ENDS = [65, 75, 78, 137, 143];

/** Where an answer goes: the messages of a command's connection. `terminate` breaks the connection. */
export interface Answering {
    send(message: Buffer): void;
    terminate(): void;
    /** Only of the agent: it ends with this exit code and this text. */
    end?(code: number, why: string): void;
    /** Only of the agent: it has no place for the request at the moment. */
    refuse?(why: string): void;
}

/**
 * Waits for calls on the socket of a command, and gives their words: a call of job.sh without the text of a program, or
 * requests of the agent. The answer is the same for both: what the call prints, and its exit code.
 */
export function onCall(socket: any, answer: (words: readonly string[], answering: Answering) => void): void {
    let input = "";
    let isAgent = false;
    socket.on("message", (message: Buffer) => {
        input += message.subarray(1).toString();
        const call = /\n('[a-z_]+' [^]*?) 8<&0 <\/dev\/null; exit\n/.exec(input)?.[1];
        if (!isAgent && call !== undefined) {
            answer(wordsOf(call), socket);
            return;
        }
        const begin = /\nrun_agent '[^]*?'\n(?=\{|$)/.exec(input);
        if (!isAgent && begin !== null) {
            isAgent = true;
            input = input.slice(begin.index + begin[0].length);
            socket.send(printed(1, '{"hello":1}\n'));
        }
        if (isAgent) {
            const lines = input.split("\n");
            input = lines.pop() ?? "";
            lines.map((line) => JSON.parse(line)).forEach((request) => serve(socket, request, answer));
        }
    });
}

function wordsOf(call: string): string[] {
    const words = (call.match(/(?:'[^']*'|\\')+/g) ?? []).map((word) =>
        word.replaceAll("'\\''", "\u0001").replaceAll("'", "").replaceAll("\u0001", "'"),
    );
    return words.filter((word) => !PROGRAMS.includes(word));
}

interface AgentRequest {
    readonly id?: number;
    readonly words?: readonly string[];
    readonly go?: boolean;
}

/** Submissions that wait for the last word. */
const ready = new Map<unknown, Map<number, () => void>>();

function serve(socket: any, { go, id, words }: AgentRequest, answer: Parameters<typeof onCall>[1]): void {
    const waiting = ready.get(socket) ?? new Map<number, () => void>();
    ready.set(socket, waiting);
    if (id === undefined) {
        socket.send(printed(1, '{"alive":1}\n'));
    } else if (words === undefined) {
        const act = waiting.get(id);
        waiting.delete(id);
        if (go) {
            act?.();
        }
    } else if (words[0] === "submit") {
        waiting.set(id, () => answer(words, new AgentAnswer(socket, id, words)));
        socket.send(printed(1, `${JSON.stringify({ id, ready: true })}\n`));
    } else {
        answer(words, new AgentAnswer(socket, id, words));
    }
}

/** Makes messages of the agent of what a call prints: frames, and lines at last. */
class AgentAnswer implements Answering {
    private readonly prints = ["", "", ""];
    private events: number;
    private exceptions: number;

    constructor(
        private readonly socket: any,
        private readonly id: number,
        private readonly words: readonly string[],
    ) {
        [this.events, this.exceptions] = words.slice(4, 6).map(Number);
    }

    send(message: Buffer): void {
        const [stream, text] = [message[0], message.subarray(1).toString()];
        if (stream < 3) {
            this.prints[stream] += text;
            this.showFrames();
            return;
        }
        const status = JSON.parse(text);
        const code = Number(status.details?.causes[0].message ?? 0);
        const [, out, err] = this.prints;
        if (OWN_ENDS.includes(code)) {
            this.socket.send(printed(2, err));
            this.socket.send(endOf(code));
            return;
        }
        if (this.words[0] === "output" && code === 0) {
            this.tell({ stream: "end", text: Buffer.from(out).toString("latin1") });
        }
        this.tell({ code, out: out.replace(/^events\n/, ""), err });
    }

    terminate(): void {
        this.socket.terminate();
    }

    end(code: number, why: string): void {
        this.socket.send(printed(2, why));
        this.socket.send(endOf(code));
    }

    refuse(why: string): void {
        this.tell({ code: 75, out: "", err: why });
    }

    private tell(fields: object): void {
        this.socket.send(printed(1, `${JSON.stringify({ id: this.id, ...fields })}\n`));
    }

    private showFrames(): void {
        const isStreamed = ["follow", "show", "watch_output"].includes(this.words[0]);
        if (isStreamed && !/^(stdout|stderr|exception|end|progress|events)[ \n]|^$/.test(this.prints[1])) {
            this.socket.send(printed(1, this.prints[1]));
        }
        for (;;) {
            const rest = Buffer.from(this.prints[1]);
            const [head, stream, size] = /^(stdout|stderr|exception|end|progress) (\d+)\n/.exec(this.prints[1]) ?? [];
            if (head === undefined || rest.length < head.length + Number(size)) {
                return;
            }
            const end = head.length + Number(size);
            this.prints[1] = rest.subarray(end).toString();
            const position =
                stream === "exception" ? { exceptions: ++this.exceptions } : { at: [0, ++this.events] as const };
            const text = rest.subarray(head.length, end).toString("latin1");
            this.tell({ stream, text, ...(stream === "end" || stream === "progress" ? {} : position) });
        }
    }
}

/** What a call prints of a stream of a job that is followed. */
export function frame(stream: "stdout" | "stderr" | "exception" | "end" | "progress", text: string): string {
    return `${stream} ${Buffer.byteLength(text)}\n${text}`;
}

/** What it prints at the end of a job: its events. */
export function endFrame(status = 0): string {
    const events = [{ name: "submit" }, { name: "start" }, { name: "finish", context: { status } }, { name: "clean" }];
    return `events\n${events.map((event) => `${JSON.stringify({ timestamp: 1, ...event })}\n`).join("")}`;
}

import type { PassThrough, Writable } from "node:stream";

interface Request {
    readonly id?: number;
    readonly words?: readonly string[];
    readonly go?: boolean;
}

/** What an agent in a pod has. */
export interface PodOfAgent {
    readonly stdin: PassThrough;
    readonly stdout: Writable;
    /** Ends the agent's command. */
    report(status: object): void;
    /** Breaks the connection. */
    lose(): void;
    isThere(): boolean;
    run(words: readonly string[]): Promise<{ exitCode: number; stdout: string }>;
}

/** The text after the agent's program; undefined if the input starts no agent. */
export function requestsIn(input: string): string | undefined {
    const begin = /\nrun_agent '[^]*?'\n(?=\{|$)/.exec(input);
    return begin === null ? undefined : input.slice(begin.index + begin[0].length);
}

/**
 * The agent in a pod of the model. It ends when it has answered all requests, as an agent that the network or the pod's end
 * cuts off may do at any time: the next request starts another one.
 */
export function serveAgent(begin: string, pod: PodOfAgent): void {
    let rest = "";
    let open = 0;
    const wanted = new Map<number, readonly string[]>();
    const say = (message: object) =>
        new Promise<void>((done) => pod.stdout.write(`${JSON.stringify(message)}\n`, () => done()));
    const answer = async (id: number, words: readonly string[]) => {
        const { exitCode, stdout } = await pod.run(words);
        if (!pod.isThere()) {
            pod.lose();
            return;
        }
        if (words[0] === "output") {
            await say({ id, stream: "end", text: stdout });
        }
        open--;
        await say({ id, code: exitCode, out: stdout.trimEnd(), err: "" });
        if (open === 0 && pod.stdin.readableLength === 0) {
            pod.report({ status: "Success" });
        }
    };
    const take = ({ go, id, words }: Request) => {
        if (id === undefined) {
            return;
        }
        if (words?.[0] === "submit") {
            open++;
            wanted.set(id, words);
            void say({ id, ready: true });
        } else if (words !== undefined) {
            open++;
            void answer(id, words);
        } else if (wanted.has(id)) {
            const submission = wanted.get(id) ?? [];
            wanted.delete(id);
            if (go) {
                void answer(id, submission);
            } else {
                open--;
            }
        }
    };
    const hear = (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        lines.map((line) => JSON.parse(line) as Request).forEach(take);
    };
    hear(begin);
    pod.stdin.on("data", (chunk: Buffer) => hear(String(chunk)));
}

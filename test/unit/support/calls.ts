import { ARRAY_PROGRAM, EXPLAIN_PROGRAM, OUTPUT_PROGRAM } from "../../../provider/flux/programs";

const PROGRAMS: readonly string[] = [ARRAY_PROGRAM, EXPLAIN_PROGRAM, OUTPUT_PROGRAM];

/** Waits for a call of job.sh on the socket of a command, and gives its words without the text of a program. */
export function onCall(socket: any, answer: (words: readonly string[]) => void): void {
    let input = "";
    socket.on("message", (message: Buffer) => {
        input += message.subarray(1).toString();
        const call = /\n('[a-z_]+' [^]*) <\/dev\/null\nexit\n$/.exec(input)?.[1];
        if (call === undefined) {
            return;
        }
        const words = (call.match(/(?:'[^']*'|\\')+/g) ?? []).map((word) =>
            word.replaceAll("'\\''", "\u0001").replaceAll("'", "").replaceAll("\u0001", "'"),
        );
        answer(words.filter((word) => !PROGRAMS.includes(word)));
    });
}

/** What job.sh prints of a stream of a job that is followed. */
export function frame(stream: "stdout" | "stderr" | "exception" | "end" | "progress", text: string): string {
    return `${stream} ${Buffer.byteLength(text)}\n${text}`;
}

/** What it prints at the end of a job: its events. */
export function endFrame(status = 0): string {
    const events = [{ name: "submit" }, { name: "start" }, { name: "finish", context: { status } }, { name: "clean" }];
    return `events\n${events.map((event) => `${JSON.stringify({ timestamp: 1, ...event })}\n`).join("")}`;
}

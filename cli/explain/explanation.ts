import { foreignLine, foreignLines } from "../../provider/contract/foreignText";
import { explainRun } from "./ended";
import { type Explanation, type Facts, find } from "./facts";
import { explainWaiting } from "./waiting";

/** Lines of output that an explanation has. */
const LINES = 10;

/** Says why a job waits, how it runs or how it has ended. `now` is in seconds since 1970. */
export function explainJob(facts: Facts, now: number): Explanation {
    const { events, jobId, output, unreadable, wish } = facts;
    const hasRun = ["start", "finish", "clean"].some((name) => find(events, name) !== undefined);
    const part = hasRun ? explainRun(facts, now) : { ...explainWaiting(facts, now), exitCode: null };
    const sentences =
        unreadable === undefined ? part.sentences : [...part.sentences, `Its output can't be read: ${unreadable}.`];
    return {
        jobId,
        name: wish.name,
        reason: part.reason,
        sentences,
        exitCode: part.exitCode,
        output: output === undefined ? null : lastLines(output),
    };
}

function lastLines(text: string): string {
    return text
        .replace(/^\uFFFD+/, "")
        .split("\n")
        .slice(-LINES - 1)
        .join("\n");
}

/** The explanation for a reader. */
export function describeExplanation({ jobId, name, output, reason, sentences }: Explanation): string {
    const showsOutput = output !== null && output.trim() !== "" && reason !== "succeeded";
    const end = showsOutput
        ? `The end of its output:\n${foreignLines(output.trimEnd()).replaceAll(/^/gm, "  ")}\n`
        : "";
    return `${foreignLine(name)} (${jobId})\n${sentences.map((sentence) => `${foreignLine(sentence)}\n`).join("")}${end}`;
}

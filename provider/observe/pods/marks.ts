import type { V1ContainerStateTerminated } from "@kubernetes/client-node";

/** The values that the scripts reported, by their names: `quorum`, `started`, `ended`, `error` and others. */
export type Marks = Readonly<Record<string, string>>;

/** What a container's end tells. */
export interface Message {
    readonly marks: Marks;
    /** What a program of the user wrote into the termination message, which Kubernetes offers to all programs. */
    readonly words?: string;
}

/** The reasons of containers whose process ran. With any other reason, the message is of Kubernetes or the runtime. */
const ENDS = ["", "Completed", "Error", "OOMKilled"];

/** A line of run.sh. Text before it is a program's, without a line feed at its end. */
const REPORT = /^(.*?)minicluster\.([a-z]+)=(.*)$/;

/** The end of a container of which a node knows nothing after its restart. The Job replaces the pod. */
const LOST = "ContainerStatusUnknown";

/** Reads the termination message of a container. */
export function readMessage({ message = "", reason = "" }: V1ContainerStateTerminated): Message {
    if (reason === LOST) {
        return { marks: {} };
    }
    const lines = message.split("\n").filter((line) => line.trim() !== "");
    if (!ENDS.includes(reason)) {
        return { marks: lines.length === 0 ? {} : { error: message.trim() } };
    }
    const found = lines.map(readLine);
    const marks = Object.fromEntries(found.flatMap(({ mark }) => (mark === undefined ? [] : [mark])));
    const words = found.map((line) => line.words).filter((line) => line !== "");
    return { marks, words: words.length === 0 ? undefined : words.join("\n") };
}

function readLine(line: string): { readonly mark?: [string, string]; readonly words: string } {
    const [, words = line, name, value = ""] = REPORT.exec(line) ?? [];
    return { mark: name === undefined ? undefined : [name, value], words };
}

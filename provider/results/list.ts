import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { gunzipSync } from "node:zlib";

import { readMark, type KeptFile, type ResultsMark } from "../contract/results";

/** A file of the list, whose path is in bytes, each as a character of latin1. */
export interface Listed extends Omit<KeptFile, "path"> {
    readonly bytesOfPath: string;
    readonly rank: number;
}

/** The results that a line of the log tells of. */
export interface Told extends ResultsMark {
    /** Empty for too many files. */
    readonly files: readonly ReturnType<typeof shownFile>[];
    /** What isn't kept. */
    readonly reasons: readonly string[];
}

/** The last line about results in a log. */
export function toldIn(log: string): Told | undefined {
    const line = log.split("\n").findLast((one) => readMark(one) !== undefined);
    const mark = line === undefined ? undefined : readMark(line);
    return mark && { ...mark, ...unpacked(line!.slice(line!.lastIndexOf(" ") + 1)) };
}

/** A log without the lines about results, which are long. */
export function withoutMarks(log: string): string {
    return log.includes("minicluster: results ")
        ? log.replace(/^minicluster: results (?:waits|kept|lost) .*(?:\n|$)/gm, "")
        : log;
}

/** A line that was cut has no list. */
function unpacked(text: string): Pick<Told, "files" | "reasons"> {
    try {
        return readList(gunzipSync(Buffer.from(text, "base64")).toString("latin1"));
    } catch {
        return { files: [], reasons: [] };
    }
}

function readList(text: string): Pick<Told, "files" | "reasons"> {
    const lines = text.split("\n").filter(Boolean);
    const reasons = lines.filter((line) => line.startsWith("! ")).map((line) => line.slice(2));
    return { files: filesOf(text).map(shownFile), reasons };
}

/** The files of a list. */
export function filesOf(list: string): Listed[] {
    return list.split("\n").flatMap((line) => {
        const [, sha256, bytes, rank, path] = /^([0-9a-f]{64}) (\d+) (\d+) (.+)$/.exec(line) ?? [];
        const numbers = { bytes: Number(bytes), rank: Number(rank) };
        return path === undefined ? [] : [{ sha256, ...numbers, bytesOfPath: unescaped(path) }];
    });
}

/** A file as outputs show it. */
export function shownFile({ bytes, bytesOfPath, rank, sha256 }: Listed): KeptFile & { readonly rank: number } {
    return { path: pathOf(bytesOfPath), bytes, sha256, rank };
}

function unescaped(path: string): string {
    return path.replaceAll(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** Bytes that a text can't have stay escaped. */
function pathOf(path: string): string {
    const text = Buffer.from(path, "latin1").toString();
    const isText = Buffer.from(text).equals(Buffer.from(path, "latin1"));
    const escaped = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
    return (isText ? text : path.replaceAll(/[\x80-\xff]/g, escaped)).replaceAll(/[\0-\x1f\x7f]/g, escaped);
}

export function sumOf(content: Buffer): string {
    return createHash("sha256").update(content).digest("hex");
}

/** The SHA-256 of a file, which may be large. */
export async function sumOfFile(path: Buffer | string): Promise<string> {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
        hash.update(chunk);
    }
    return hash.digest("hex");
}

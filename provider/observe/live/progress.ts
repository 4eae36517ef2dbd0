import { shortened } from "../../contract/foreignText";

/** How far a program says it is. */
export interface ProgramProgress {
    /** From 0 to 1. */
    readonly fraction: number;
    /** May be empty. */
    readonly text: string;
}

/** Characters of a program's text that are shown. */
const LONGEST = 80;
/** Numbers as programs print them, such as 0.4, .4, 1.0 and 1e-05. progress.sh and minicluster-progress.sh take the same. */
const LINE = /^(0\.?|1(?:\.0*)?|0?\.\d+|[1-9](?:\.\d+)?e-\d+)(?:[ \t]+(.*))?$/u;

/** Reads a fraction and a text, such as `0.4 step 400 of 1,000`; undefined for anything else. */
export function readProgramProgress(line: string): ProgramProgress | undefined {
    const match = LINE.exec(line.trim());
    return match === null
        ? undefined
        : { fraction: Number(match[1]), text: shortened((match[2] ?? "").trim(), LONGEST) };
}

/** The progress in words, such as `40 %, step 400 of 1,000`. 100 % is only said of a whole. */
export function describeProgramProgress({ fraction, text }: ProgramProgress): string {
    const percent = fraction === 1 ? 100 : Math.min(99, Math.round(fraction * 100));
    return text === "" ? `${percent} %` : `${percent} %, ${text}`;
}

/** How far a program says it is. */
export interface ProgramProgress {
    /** From 0 to 1. */
    readonly fraction: number;
    /** May be empty. */
    readonly text: string;
}

/** Characters of a program's text that are shown. */
const LONGEST = 80;

/** Reads a fraction and a text, such as `0.4 step 400 of 1,000`; undefined for anything else. */
export function readProgress(line: string): ProgramProgress | undefined {
    const match = /^(0|1|0?\.\d{1,12}|1\.0{1,12}|0\.)(?:[ \t]+(.*))?$/u.exec(line.trim());
    return match === null ? undefined : { fraction: Number(match[1]), text: shortened((match[2] ?? "").trim()) };
}

function shortened(text: string): string {
    const characters = [...text];
    return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST - 3).join("")}...`;
}

/** The progress in words, such as `40 %, step 400 of 1,000`. 100 % is only said of a whole. */
export function describeProgress({ fraction, text }: ProgramProgress): string {
    const percent = fraction === 1 ? 100 : Math.min(99, Math.round(fraction * 100));
    return text === "" ? `${percent} %` : `${percent} %, ${text}`;
}

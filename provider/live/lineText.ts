/** Escape sequences of terminals: with parameters (colours, movements), with a text (titles, links), and short ones. */
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
/** Characters that change a terminal or the order of the text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]+/gu;

/**
 * What a terminal would show of a line of an output, with at most so many characters: without colours and control
 * characters, and of a line that was written over itself only the last text.
 */
export function lineText(bytes: Buffer, longest: number): string {
    const plain = bytes.toString().replace(SEQUENCES, "");
    const shown = plain.split("\r").filter((part) => part.trim() !== "");
    const text = (shown.at(-1) ?? "").replaceAll("\t", " ").replace(UNSEEN, "").trimEnd();
    return shortened(text, longest);
}

/** A text with at most so many characters. */
export function shortened(text: string, longest: number): string {
    const characters = text.length <= longest ? [] : [...text];
    return characters.length <= longest ? text : `${characters.slice(0, longest - 3).join("")}...`;
}

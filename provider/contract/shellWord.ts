/** Quotes a word for a shell. */
export function quote(word: string): string {
    return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A word as a shell reads it, without quotes if it needs none. */
export function word(text: string): string {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : quote(text);
}

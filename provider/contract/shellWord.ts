/** Quotes a word for a shell. */
export function quote(word: string): string {
    return `'${word.replaceAll("'", `'\\''`)}'`;
}

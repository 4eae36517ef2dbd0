/** A set of indexes as a text, as Flux writes them: `3,7-9`. Empty for no index. */
export function formatIdset(indexes: Iterable<number>): string {
    const ranges: [first: number, last: number][] = [];
    for (const index of [...indexes].sort((a, b) => a - b)) {
        const range = ranges.at(-1);
        if (range !== undefined && index <= range[1] + 1) {
            range[1] = index;
        } else {
            ranges.push([index, index]);
        }
    }
    return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** The indexes of such a text. */
export function parseIdset(text: string): Set<number> {
    const indexes = new Set<number>();
    for (const range of text.split(",").filter(Boolean)) {
        const [first, last = first] = range.split("-").map(Number);
        for (let index = first; index <= last; index++) {
            indexes.add(index);
        }
    }
    return indexes;
}

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

/** The ranges of such a text, from the first to the last index of each. */
export function rangesOf(text: string): [first: number, last: number][] {
    const ranges = text.split(",").filter(Boolean);
    return ranges.map((range) => {
        const [first, last = first] = range.split("-").map(Number);
        return [first, last];
    });
}

/** The number of indexes in such a text. */
export function sizeOf(text: string): number {
    return rangesOf(text).reduce((size, [first, last]) => size + last - first + 1, 0);
}

/** The indexes of such a text. */
export function parseIdset(text: string): Set<number> {
    const indexes = new Set<number>();
    for (const [first, last] of rangesOf(text)) {
        for (let index = first; index <= last; index++) {
            indexes.add(index);
        }
    }
    return indexes;
}

/** Most names in a sentence. */
const MOST_NAMES = 20;

/** A list of names in words. */
export function namesInWords(names: readonly string[]): string {
    const more = names.length - MOST_NAMES;
    const listed = names.slice(0, MOST_NAMES).join(", ");
    return more > 0 ? `${listed} and ${more} more` : listed;
}

/** A number of things in words: `1 job`, `2 jobs`, `12,345 jobs`. */
export function counted(count: number, thing: string): string {
    return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

const UNITS = ["GiB", "MiB", "KiB"] as const;

/** A number of bytes in words: `512 bytes`, `1.5 GiB`. */
export function sizeInWords(bytes: number): string {
    const exponent = UNITS.findIndex((_, index) => Math.abs(bytes) >= 1024 ** (3 - index));
    return exponent < 0
        ? counted(bytes, "byte")
        : `${Math.round((bytes / 1024 ** (3 - exponent)) * 10) / 10} ${UNITS[exponent]}`;
}

import type { RunRecord } from "../contract/record/runRecord";

/** The largest record, in bytes of its JSON. */
export const MOST_BYTES = 16_384;

/** The lists that shorten if a record is too large. */
const LISTS = ["ranks", "command", "runOptions", "environment", "failures", "digests"] as const;

/** Bytes that the sentences about shortened lists may need. */
const SENTENCES = 1000;

/** The record with at most `MOST_BYTES`: its longest lists lose their last entries, and it says so. */
export function limited(record: RunRecord): RunRecord {
    if (bytesOf(record) <= MOST_BYTES) {
        return record;
    }
    let found = record;
    for (let excess = excessOf(found); excess > 0; excess = excessOf(found)) {
        const [longest] = [...LISTS].sort((a, b) => bytesOf(found[b]) - bytesOf(found[a]));
        const list = found[longest];
        const share = Math.max(1 / 2, 1 - excess / bytesOf(list));
        found = { ...found, [longest]: list.slice(0, Math.min(list.length - 1, Math.floor(list.length * share))) };
    }
    const shortened = LISTS.filter((name) => found[name].length < record[name].length).map(
        (name) =>
            `${name}: the first ${found[name].length} of ${record[name].length}, so that the record stays below 16 KiB`,
    );
    return { ...found, missing: [...record.missing, ...shortened] };
}

function excessOf(record: RunRecord): number {
    return bytesOf(record) + SENTENCES - MOST_BYTES;
}

function bytesOf(value: unknown): number {
    return Buffer.byteLength(JSON.stringify(value));
}

/** The first `count` ids as an RFC 22 idset: `0-3`. */
export function firstIds(count: number): string {
    return count === 1 ? "0" : `0-${count - 1}`;
}

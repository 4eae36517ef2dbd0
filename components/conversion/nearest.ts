/** The cure for a field that isn't in a schema: the nearest name of the schema, if there is one. */
export function cureOf(name: string, own: readonly string[]): string {
    const near = own.find((field) => isNear(name, field));
    return near === undefined ? "remove it" : `write ${near}, if that is meant, or remove it`;
}

/** True if the names differ in case, or in at most two letters. */
function isNear(name: string, field: string): boolean {
    const [left, right] = [name.toLowerCase(), field.toLowerCase()];
    return distance(left, right) <= Math.min(2, Math.floor(field.length / 3));
}

/** The number of letters that are added, removed or replaced. */
function distance(left: string, right: string): number {
    let row = Array.from({ length: right.length + 1 }, (_, index) => index);
    for (let index = 0; index < left.length; index += 1) {
        const next = [index + 1];
        for (let other = 0; other < right.length; other += 1) {
            const replaced = row[other] + (left[index] === right[other] ? 0 : 1);
            next.push(Math.min(replaced, row[other + 1] + 1, next[other] + 1));
        }
        row = next;
    }
    return row[right.length];
}

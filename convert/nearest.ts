import { distance } from "../provider/contract/suggestion";

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

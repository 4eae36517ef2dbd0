import type { Version } from "./schema/fields";

/** The warning about a field that the version of the resource doesn't have. */
export function unknownField(
    name: string,
    version: Version,
    { own, isOther }: { readonly own: readonly string[]; readonly isOther: boolean },
): string {
    if (isOther) {
        const other = version === "v1alpha1" ? "v1alpha2" : "v1alpha1";
        return `is a field of ${other}, and the operator ignores it in ${version}. It is converted; remove it if it should have no effect.`;
    }
    if (Object.hasOwn(OTHERS, name)) {
        return `is a field of other versions, which the operator ignores in ${version}; ${OTHERS[name]}.`;
    }
    const near = own.find((field) => isNear(name, field));
    const cure = near === undefined ? "remove it" : `write ${near}, if that is meant, or remove it`;
    return `is no field of the operator's ${version}, so it is ignored; ${cure}.`;
}

/** Fields of the operator before its first release, or of its branches, which some files have. */
const OTHERS: Readonly<Record<string, string>> = {
    hostNetwork: "give the argument hostNetwork",
    localDeploy: "remove it",
    postStartExec: "write lifeCycle.postStartExec",
    workdir: "write workingDir",
};

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

import { cureOf } from "../nearest";
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
    return `is no field of the operator's ${version}, so it is ignored; ${cureOf(name, own)}.`;
}

/** Fields of the operator before its first release, or of its branches, which some files have. */
const OTHERS: Readonly<Record<string, string>> = {
    hostNetwork: "give the argument hostNetwork",
    localDeploy: "remove it",
    postStartExec: "write lifeCycle.postStartExec",
    workdir: "write workingDir",
};

import type { Admission } from "../judge/admission";
import type { Survey } from "../judge/fit/fit";
import { claimsOf } from "../judge/fit/claims";
import { isRefusedForGood } from "../observe/causes/lastingWords";
import { knownCureOf } from "../observe/causes/pods";
import { plainText } from "../observe/pods/plainText";
import type { IndexedJobInputs } from "./properties";

/** What keeps the pods of a Job from starting whatever room there is, in sentences. What the program makes itself is none. */
export function obstaclesOf(
    { awaited = [], manifest }: IndexedJobInputs,
    { claims }: Survey,
    admission: Admission,
): string[] {
    const { namespace } = manifest.metadata;
    if (admission.class === "homeless") {
        return awaited.includes("Namespace") ? [] : [missing(`Namespace ${namespace}`, "the update fails")];
    }
    const isMissing = (name: string) => claims !== undefined && !claims.includes(name);
    const absent = awaited.includes("PersistentVolumeClaim") ? [] : claimsIn(manifest).filter(isMissing);
    return [
        ...absent.map((name) => missing(`PersistentVolumeClaim ${namespace}/${name}`, "no pod gets a node")),
        ...(admission.class === "refused" ? refusal(admission.text) : []),
    ];
}

function claimsIn({ spec }: IndexedJobInputs["manifest"]): string[] {
    return [...new Set(claimsOf(spec.template.spec))];
}

function missing(what: string, effect: string): string {
    return `${what} is not there yet. Unless this update makes it, ${effect}. Create it; in the program, with dependsOn.`;
}

/** Words of quotas and LimitRanges, which fit judges together with the pods that the update removes. */
const OF_FIT = /exceeded quota|failed quota| usage per |limit to request ratio/;
/** Words of cluster-wide objects that the same update may make. */
const NOT_YET = /no PriorityClass with name|RuntimeClass "[^"]*" not found/;

function refusal(said: string): string[] {
    const text = plainText(said);
    if (OF_FIT.test(text) || !(NOT_YET.test(text) || isRefusedForGood(text, undefined))) {
        return [];
    }
    if (NOT_YET.test(text)) {
        return [`The API server refuses such pods: ${text}. Unless this update makes it, no pod starts.`];
    }
    const cure = knownCureOf(text);
    return [`The API server refuses such pods: ${text}${cure === undefined ? "" : `; cure: ${cure}`}.`];
}

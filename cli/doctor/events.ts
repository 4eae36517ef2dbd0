import { cureOf } from "../../provider/observe/causes/pods";
import { isReady } from "../../provider/observe/pods/pod";
import { type Finding, firstOf, ok, unchecked, warn } from "./finding";
import type { Cluster } from "./subject";

/** Warnings of Kubernetes about the Job and its present pods that no group before has told. */
export function checkEvents({ noEvents, seen }: Cluster, told: readonly string[]): Finding[] {
    if (noEvents !== undefined) {
        return [unchecked(`Kubernetes' Events: ${noEvents}`, "docs/rbac.yaml: list events, which say many causes")];
    }
    const of = (uid: string, name: string) =>
        seen
            .warningsOf(uid)
            .flatMap(({ message, source }) => (isConsequence(message, source) ? [] : { name, message }));
    // Earlier warnings about a pod that is ready have no cause any more.
    const pods = seen.ranks().filter((pod) => !isReady(pod));
    const all = [...of(seen.uid, "the Job"), ...pods.flatMap(({ name, uid }) => of(uid, name))];
    const untold = all.filter(({ message }) => !told.some((text) => text.includes(message)));
    const texts = [...new Map(untold.map(({ message, name }) => [message, `${name}: ${message}`]))];
    return texts.length === 0
        ? [ok("Kubernetes warns of nothing else")]
        : firstOf(texts.map(([message, text]) => warn(text, cureOf(message))));
}

/** The warnings of this package repeat a cause, and a startup probe fails until the broker has joined. */
function isConsequence(message: string, source: string): boolean {
    return source === "flux-minicluster" || message.startsWith("Startup probe failed");
}

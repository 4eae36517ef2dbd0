import { Network } from "./args";
import { hostOf, subdomainOf } from "../provider/contract/names";
import type { Problem } from "./problem";
import type { MiniClusterSpec } from "./spec";

/** Longest name that Linux gives a machine. */
const LONGEST_HOST_NAME = 64;

/** What is wrong with how the ranks find each other. */
export function validateNetwork(spec: MiniClusterSpec): Problem[] {
    const problems: Problem[] = [];
    if (spec.fqdn && spec.hostNetwork) {
        const reason = "is true, but with hostNetwork the host name is the node's. Remove one of them.";
        problems.push({ property: "fqdn", reason });
    }
    if (spec.network === Network.Hosts && spec.broker.port === 65535) {
        const reason = `is 65535, but network "hosts" needs the port after it as well. Use a lower one.`;
        problems.push({ property: "broker.port", reason });
    }
    return problems;
}

/** What can only be judged when the namespace is known, which is at preview too. */
export function validateHostNames(spec: MiniClusterSpec, namespace: string): Problem[] {
    const longest = `${hostOf(spec.name, spec.maxSize - 1)}.${subdomainOf(spec.name, namespace, spec.clusterDomain)}`;
    if (!spec.fqdn || longest.length <= LONGEST_HOST_NAME) {
        return [];
    }
    const excess = longest.length - LONGEST_HOST_NAME;
    const reason = `makes the host name "${longest}", which has ${longest.length} characters; Linux takes ${LONGEST_HOST_NAME}.`;
    return [{ property: "fqdn", reason: `${reason} Shorten name or namespace by ${excess} together (name counts twice), or leave fqdn out.` }];
}

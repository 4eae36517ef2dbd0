import type { Problem } from "./problem";

const PEERS = ["ipBlock", "namespaceSelector", "podSelector"];

/** Refuses peers that Kubernetes would refuse in a NetworkPolicy, and peers without `networkPolicy`. */
export function validateClients(
    property: string,
    clients: readonly Readonly<Record<string, unknown>>[],
    hasPolicy: boolean,
): Problem[] {
    const problems = clients.flatMap((client, index) => {
        const kinds = Object.keys(client);
        const isPeer =
            kinds.length > 0 &&
            kinds.every((kind) => PEERS.includes(kind)) &&
            !(kinds.length > 1 && kinds.includes("ipBlock"));
        const reason = `has ${kinds.join(" and ") || "nothing"}; give podSelector, namespaceSelector or both, or ipBlock alone.`;
        return isPeer ? [] : [{ property: `${property}[${index}]`, reason }];
    });
    if (clients.length > 0 && !hasPolicy) {
        const reason =
            "are given, but without networkPolicy every client reaches the port. Set networkPolicy: true, or remove them.";
        problems.push({ property, reason });
    }
    return problems;
}

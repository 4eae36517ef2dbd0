import type { Problem } from "./problem";

const LARGEST = 65_535;

/** Refuses a number that is not a TCP port. */
export function validatePort(property: string, port: number, verb: "has" | "is" = "is"): Problem[] {
    return port >= 1 && port <= LARGEST
        ? []
        : [{ property, reason: `${verb} ${port}; ports go from 1 to ${LARGEST}.` }];
}

/**
 * Refuses the port of a server on the lead if it is no port, or one of `others`: the broker's is among them, and network
 * "hosts" has the one after it.
 */
export function validateServerPort(
    property: string,
    port: number,
    others: Readonly<Record<string, number | undefined>> & { readonly "broker.port": number },
    hasHosts: boolean,
): Problem[] {
    const problems = validatePort(property, port);
    if (problems.length > 0) {
        return problems;
    }
    if (hasHosts && port === others["broker.port"] + 1) {
        const reason = `is ${port}, but network "hosts" needs the port after broker.port. Change one of them.`;
        return [{ property, reason }];
    }
    const [taken] = Object.keys(others).filter((other) => others[other] === port);
    const owner = taken === "broker.port" ? "the broker's port" : taken;
    return taken === undefined ? [] : [{ property, reason: `is ${port}, which is ${owner}. Change one of them.` }];
}

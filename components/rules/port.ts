import type { Problem } from "./problem";

const LARGEST = 65_535;

/** Refuses a number that is not a TCP port. */
export function validatePort(property: string, port: number, verb: "has" | "is" = "is"): Problem[] {
    return port >= 1 && port <= LARGEST
        ? []
        : [{ property, reason: `${verb} ${port}; ports go from 1 to ${LARGEST}.` }];
}

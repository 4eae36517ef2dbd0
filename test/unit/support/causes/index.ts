import type { Cause } from "./cause";
import { containers } from "./containers";
import { creation } from "./creation";
import { nodes } from "./nodes";
import { scheduling } from "./scheduling";

/** The causes in docs/troubleshooting.md, by the heads of its tables. */
export const causes: Readonly<Record<string, readonly Cause[]>> = {
    "The API server refuses the pod": creation,
    "The pod gets no node": scheduling,
    "The node can't prepare the pod": nodes,
    "A container can't start": containers,
};

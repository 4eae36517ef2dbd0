import type { MakeChildren } from "../../children/children";

/** Updates leave the size of the cluster as it is, and wake the cluster. */
export const elasticChildren = ((_name, _family, { args: { elastic } }) =>
    elastic === undefined ? {} : { sizedBy: "cluster", status: (job) => ({ wake: job.wake }) }) satisfies MakeChildren;

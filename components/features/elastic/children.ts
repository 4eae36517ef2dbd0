import { namesOf } from "../../../provider/contract/names";
import type { MakeChildren } from "../../children/children";
import { makeRights } from "../../children/rights";
import { Keygen } from "../key";
import { elasticRules } from "./rights";

/** The right to the cluster's Job, by which it sizes itself. Updates leave the size as it is, and wake the cluster. */
export const elasticChildren = ((name, family, { args: { elastic, keygen, serviceAccountName } }) => {
    if (elastic === undefined) {
        return {};
    }
    return {
        sizedBy: "cluster",
        status: (job) => ({ wake: job.wake }),
        resources: makeRights(`${name}-elastic`, family, {
            object: (of) => namesOf(of.name).elastic,
            rules: elasticRules,
            // Pods that make the key have an account already, and all containers share one.
            makesAccount: serviceAccountName === undefined && keygen !== Keygen.InitContainer,
        }),
    };
}) satisfies MakeChildren;

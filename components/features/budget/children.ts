import * as kubernetes from "@pulumi/kubernetes";

import { namesOf } from "../../../provider/contract/names";
import type { MakeChildren } from "../../children/children";
import { placed } from "../../children/family";
import { makeRights } from "../../children/rights";
import { Keygen } from "../key";
import { disruptionBudget } from "./manifest";
import { budgetRules, hasRights } from "./rights";

/** The PodDisruptionBudget, and the right of a persistent cluster's lead to change it. */
export const budgetChildren = ((name, family, { args }) => {
    if (!args.disruptionBudget) {
        return {};
    }
    const object = placed((of) => namesOf(of.name).cluster, disruptionBudget, family);
    // The lead changes the selector, so an update must not change it back.
    const options = { ...family.options, ignoreChanges: ["spec.selector"] };
    const made = new kubernetes.policy.v1.PodDisruptionBudget(`${name}-budget`, object, options);
    if (!hasRights(args.command)) {
        return { resources: [made] };
    }
    const rights = makeRights(`${name}-budget`, family, {
        object: (of) => namesOf(of.name).budget,
        rules: budgetRules,
        // All containers of a pod share one account, which another feature may have made.
        makesAccount:
            args.serviceAccountName === undefined && args.keygen !== Keygen.InitContainer && args.elastic === undefined,
    });
    return { resources: [made, ...rights] };
}) satisfies MakeChildren;

import * as kubernetes from "@pulumi/kubernetes";

import { namesOf } from "../../../provider/contract/names";
import type { MakeChildren } from "../../children/children";
import { placed } from "../../children/family";
import { disruptionBudget } from "./manifest";

/** The PodDisruptionBudget. */
export const budgetChildren = ((name, family, { args }) => {
    if (!args.disruptionBudget) {
        return {};
    }
    const object = placed((of) => namesOf(of.name).cluster, disruptionBudget, family);
    // The lead changes the selector, so an update must not change it back.
    const options = { ...family.options, ignoreChanges: ["spec.selector"] };
    return { resources: [new kubernetes.policy.v1.PodDisruptionBudget(`${name}-budget`, object, options)] };
}) satisfies MakeChildren;

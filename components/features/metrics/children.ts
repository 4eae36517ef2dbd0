import * as kubernetes from "@pulumi/kubernetes";

import type { MakeChildren } from "../../children/children";
import { placed } from "../../children/family";
import { podMonitor } from "./podMonitor";

/** The PodMonitor. */
export const metricsChildren = ((name, family, { args: { metrics } }) => {
    if (metrics?.podMonitor === undefined || metrics.enabled === false) {
        return {};
    }
    const object = placed(({ name: of }) => of, podMonitor, family);
    const kind = { apiVersion: "monitoring.coreos.com/v1", kind: "PodMonitor" };
    return {
        resources: [
            new kubernetes.apiextensions.CustomResource(`${name}-metrics`, { ...kind, ...object }, family.options),
        ],
    };
}) satisfies MakeChildren;

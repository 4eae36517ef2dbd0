import * as kubernetes from "@pulumi/kubernetes";

import { namesOf } from "../../../provider/contract/names";
import type { MakeChildren } from "../../children/children";
import { placed } from "../../children/family";
import { servicesDeployment, servicesService } from "./manifests";

/** The Service and the Deployment of the programs that all ranks share. */
export const servicesChildren = ((name, family, { args: { services = [] } }) => {
    if (Array.isArray(services) && services.length === 0) {
        return {};
    }
    const { options } = family;
    const described = (object: typeof servicesService) => placed((of) => namesOf(of.name).services, object, family);
    return {
        resources: [
            new kubernetes.core.v1.Service(`${name}-services`, described(servicesService), options),
            new kubernetes.apps.v1.Deployment(`${name}-services`, described(servicesDeployment), options),
        ],
    };
}) satisfies MakeChildren;

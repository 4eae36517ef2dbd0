import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

import { type Family, placed } from "../../children/family";
import type { ServicesArguments } from ".";
import { servicesDeployment, servicesService } from "./manifests";

/** Registers the Service and the Deployment of the programs that all ranks share. */
export function makeSharedServices(name: string, family: Family, args: ServicesArguments): pulumi.Resource[] {
    const { services = [] } = args;
    if (Array.isArray(services) && services.length === 0) {
        return [];
    }
    const { options, spec } = family;
    return [
        new kubernetes.core.v1.Service(`${name}-services`, placed(spec.apply(servicesService), family), options),
        new kubernetes.apps.v1.Deployment(`${name}-services`, placed(spec.apply(servicesDeployment), family), options),
    ];
}

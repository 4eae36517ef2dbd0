import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import { type Family, placed } from "../../children/family";
import type { ServicesArguments } from ".";
import { servicesDeployment, servicesService } from "./manifests";

/** Registers the Service and the Deployment of the programs that all ranks share. */
export function makeSharedServices(name: string, family: Family, args: ServicesArguments): pulumi.Resource[] {
    const { services = [] } = args;
    if (Array.isArray(services) && services.length === 0) {
        return [];
    }
    const { options } = family;
    const described = (object: typeof servicesService) => placed((of) => namesOf(of.name).services, object, family);
    return [
        new kubernetes.core.v1.Service(`${name}-services`, described(servicesService), options),
        new kubernetes.apps.v1.Deployment(`${name}-services`, described(servicesDeployment), options),
    ];
}

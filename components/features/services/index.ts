import type { Input } from "@pulumi/pulumi";

import { Network } from "../network";
import { decideProgram, type ProgramArgs, type ProgramSpec } from "../../parts/program";
import { validatePort } from "../../rules/port";
import type { Problem } from "../../rules/problem";
import { validatePrograms } from "../../rules/programs";
import type { MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";

/**
 * A program that all ranks share, such as a database or a registry. All services of a cluster are containers of one
 * pod, in a Deployment beside the Job, and have the DNS name NAME-services.NAMESPACE.svc.DOMAIN. They run before the
 * first rank starts.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
 */
export interface ServiceArgs extends ProgramArgs {
    /** TCP ports on which the program listens. No two services of a cluster share a port. */
    ports: Input<Input<number>[]>;
}

export interface ServicesArguments {
    /** Programs that all ranks share, in a pod beside the Job. @default none */
    services?: Input<Input<ServiceArgs>[]>;
}

export interface ServiceSpec extends ProgramSpec {
    readonly ports: readonly number[];
}

export interface Decided {
    readonly services: readonly ServiceSpec[];
}

export const services: Feature<ServicesArguments, Decided> = {
    decide: ({ services: given = [] }) => ({
        services: given.map((service) => ({ ...decideProgram(service), ports: service.ports ?? [] })),
    }),

    problems: validateServices,
    late: ({ services: given }, spec) => (isLate(given, spec) ? [{ property: "services", reason: EMPTY }] : []),
};

const EMPTY =
    "is an Output and empty, but Pulumi must know before any Output whether there are services. " +
    "Give the list itself; its items may be Outputs.";

function isLate(given: ServicesArguments["services"], spec: MiniClusterSpec): boolean {
    return given !== undefined && !Array.isArray(given) && spec.services.length === 0;
}

function validateServices({ network, services: given }: MiniClusterSpec): Problem[] {
    const problems = [...validatePrograms("services", given), ...validatePorts(given)];
    if (given.length > 0 && network === Network.Hosts) {
        const reason =
            'are found by DNS, but network "hosts" is without DNS. Use another network, or a Deployment of your own.';
        problems.push({ property: "services", reason });
    }
    return problems;
}

function validatePorts(given: MiniClusterSpec["services"]): Problem[] {
    const ports = given.flatMap((service, index) =>
        service.ports.map((port) => ({ property: `services[${index}].ports`, port })),
    );
    const wrong = ports.flatMap(({ port, property }, index) => {
        const problems = validatePort(property, port, "has");
        if (problems.length > 0) {
            return problems;
        }
        const isTaken = ports.slice(0, index).some((other) => other.port === port);
        return isTaken
            ? [
                  {
                      property,
                      reason: `has ${port}, which is already in use: all services share one pod. Change one of them.`,
                  },
              ]
            : [];
    });
    const none = given.flatMap((service, index) =>
        service.ports.length > 0
            ? []
            : [
                  {
                      property: `services[${index}].ports`,
                      reason: "is empty; give the ports on which the program listens.",
                  },
              ],
    );
    return [...wrong, ...none];
}

import { Network } from "./args";
import type { Problem } from "./problem";
import type { MiniClusterSpec } from "./spec";
import { validatePrograms } from "./validateProgram";

/** What can't work of the programs that all ranks share. */
export function validateServices({ network, services }: MiniClusterSpec): Problem[] {
    const problems = [...validatePrograms("services", services), ...validatePorts(services)];
    if (services.length > 0 && network === Network.Hosts) {
        const reason = 'are found by DNS, which network "hosts" does without. Use another network, or a Deployment of your own.';
        problems.push({ property: "services", reason });
    }
    return problems;
}

function validatePorts(services: MiniClusterSpec["services"]): Problem[] {
    const ports = services.flatMap((service, index) => service.ports.map((port) => ({ property: `services[${index}].ports`, port })));
    const wrong = ports.flatMap(({ port, property }, index) => {
        if (port < 1 || port > 65535) {
            return [{ property, reason: `has ${port}; ports go from 1 to 65535.` }];
        }
        const isTaken = ports.slice(0, index).some((other) => other.port === port);
        return isTaken ? [{ property, reason: `has ${port}, which is taken already: all services share one pod. Change one of them.` }] : [];
    });
    const none = services.flatMap((service, index) =>
        service.ports.length > 0 ? [] : [{ property: `services[${index}].ports`, reason: "is empty; give the ports that it listens on." }],
    );
    return [...wrong, ...none];
}

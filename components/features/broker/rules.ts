import { validateAtLeast } from "../../rules/atLeast";
import { validatePort } from "../../rules/port";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

const TOPOLOGY = /^(?:custom|binomial|kary:\d+|mincrit(?::\d+)?)$/;
const ATTRIBUTE = /^[A-Za-z0-9][-A-Za-z0-9_.]*$/;
/** Attributes that the start script sets; a second value would silently win or lose. */
const OWN_ATTRIBUTES = [
    "broker.quorum",
    "hostname",
    "local-uri",
    "log-stderr-level",
    "log-stderr-mode",
    "rundir",
    "statedir",
    "tbon.connect_timeout",
    "tbon.topo",
];

export function validateBroker(spec: MiniClusterSpec): Problem[] {
    const { attributes, connectTimeout, logLevel, port, topology } = spec.broker;
    const problems = [
        ...validatePort("broker.port", port),
        ...validateAtLeast([["broker.connectTimeout", connectTimeout, 1]]),
    ];
    if (logLevel < 0 || logLevel > 7) {
        problems.push({
            property: "broker.logLevel",
            reason: `is ${logLevel}; levels go from 0 (emerg) to 7 (debug).`,
        });
    }
    if (topology !== undefined && !TOPOLOGY.test(topology)) {
        const reason = `is "${topology}"; Flux knows custom, kary:N, mincrit, mincrit:N and binomial.`;
        problems.push({ property: "broker.topology", reason });
    }
    return [...problems, ...Object.entries(attributes).flatMap(([name, value]) => validateAttribute(name, value))];
}

function validateAttribute(name: string, value: string): Problem[] {
    const property = `broker.attributes.${name}`;
    if (!ATTRIBUTE.test(name) || value.includes("\n")) {
        return [{ property, reason: "is no Flux attribute: letters, digits, '.', '-' and '_', on one line." }];
    }
    const own = OWN_ATTRIBUTES.includes(name);
    return own ? [{ property, reason: "is set by MiniCluster itself, from an argument of its own." }] : [];
}

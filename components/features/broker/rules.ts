import { validateAtLeast } from "../../rules/atLeast";
import { validatePort } from "../../rules/port";
import { broken, type Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import { validateLog } from "./logAttributes";
import { FLUX_CONTAINER } from "../../../provider/contract/names";
import { fluxPatch } from "../../parts/fluxContainer";
import { TERMINATION_LOG } from "../../parts/paths";

/** Smallest value of broker.connectTimeout in seconds. 0 would be the system's default, which is minutes. */
export const SHORTEST_CONNECT_TIMEOUT = 0.1;

const TOPOLOGY = /^(?:custom|binomial|kary:\d+|mincrit(?::\d+)?)$/;
const MODULE = /^[A-Za-z0-9][-A-Za-z0-9_]*$/;
const ATTRIBUTE = /^[A-Za-z0-9][-A-Za-z0-9_.]*$/;
/**
 * Attributes that the start script sets, each with its cure. A second value would override the first or be ignored,
 * without an error.
 */
const OWN_ATTRIBUTES: Readonly<Record<string, string>> = {
    "broker.exit-norestart": "Remove it.",
    "broker.quorum": "Use minSize.",
    hostname: "Remove it.",
    "local-uri": "Remove it.",
    "log-stderr-level": "Use broker.logLevel.",
    "log-stderr-mode": "Remove it.",
    rundir: "Remove it.",
    statedir: "Remove it.",
    "tbon.connect_timeout": "Use broker.connectTimeout.",
    "tbon.topo": "Use broker.topology.",
};

export function validateBroker(spec: MiniClusterSpec): Problem[] {
    const { attributes, connectTimeout, logLevel, port, scheduler, topology } = spec.broker;
    const isShape = topology === undefined || TOPOLOGY.test(topology);
    const shapes = "Flux accepts custom, kary:N, mincrit, mincrit:N and binomial";
    const isModule = scheduler === undefined || MODULE.test(scheduler);
    const cure = 'Write it like "sched-simple" or "fluxion"';
    return [
        ...validatePort("broker.port", port),
        ...validateAtLeast([["broker.connectTimeout", connectTimeout, SHORTEST_CONNECT_TIMEOUT]]),
        ...broken([
            [logLevel < 0 || logLevel > 7, "broker.logLevel", `is ${logLevel}; levels go from 0 (emerg) to 7 (debug).`],
            [!isShape, "broker.topology", `is "${topology}"; ${shapes}.`],
            [!isModule, "broker.scheduler", `is "${scheduler}", which is not the name of a broker module. ${cure}.`],
        ]),
        ...Object.entries(attributes).flatMap(([name, value]) => validateAttribute(name, value)),
        ...validateLog(spec),
    ];
}

function validateAttribute(name: string, value: string): Problem[] {
    const property = `broker.attributes.${name}`;
    if (!ATTRIBUTE.test(name) || value.includes("\n")) {
        const reason = "is not a broker attribute. Use letters, digits, '.', '-' and '_', and a value of one line.";
        return [{ property, reason }];
    }
    const cure = Object.hasOwn(OWN_ATTRIBUTES, name) ? OWN_ATTRIBUTES[name] : undefined;
    return cure === undefined ? [] : [{ property, reason: `is set by MiniCluster itself. ${cure}` }];
}

/** Refuses another file for the termination message, by which the scripts of a pod report to JobStatus. */
export function validateReports({ podTemplate }: MiniClusterSpec): Problem[] {
    const path: unknown = fluxPatch(podTemplate)?.terminationMessagePath ?? TERMINATION_LOG;
    const is = `has terminationMessagePath ${JSON.stringify(path)} in the container ${FLUX_CONTAINER}`;
    const reason = `${is}, whose scripts report by ${TERMINATION_LOG}. Remove it.`;
    return path === TERMINATION_LOG ? [] : [{ property: "podTemplate", reason }];
}

import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** Level of the line by which a broker says that a module has failed (crit). */
const LEAST_LEVEL = 2;
/** The lines that a broker may write between the failure of a module and the look of stay.sh. Flux keeps 1024. */
const LEAST_LINES = 128;

/**
 * The log of a persistent lead's broker has to keep the failure of a module: stay.sh tells by it that the broker's end
 * is no `flux shutdown`. Flux itself refuses a text that is no number.
 */
export function validateLog({ broker: { attributes }, mode }: MiniClusterSpec): Problem[] {
    if (mode !== "persistent") {
        return [];
    }
    return [
        ...atLeast("log-level", LEAST_LEVEL, "Remove it; broker.logLevel sets the level of the pod's log"),
        ...atLeast("log-ring-size", LEAST_LINES, "Remove it for Flux' default of 1024 lines"),
    ];

    function atLeast(name: string, least: number, cure: string): Problem[] {
        const value = attributes[name];
        if (value === undefined || value.trim() === "" || !(Number(value) < least)) {
            return [];
        }
        const why = "in a persistent cluster, because the lead's log has to tell a failure from flux shutdown";
        return [
            {
                property: `broker.attributes.${name}`,
                reason: `is ${value}; it must be at least ${least} ${why}. ${cure}.`,
            },
        ];
    }
}

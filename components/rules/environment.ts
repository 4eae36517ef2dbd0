import { RESTFUL_ENVIRONMENT, SCRIPT_ENVIRONMENT } from "../../provider/contract/paths";
import type { MiniClusterSpec } from "../spec";
import { VARIABLE } from "./patterns";
import type { Problem } from "./problem";
import { validateWord } from "./words";

/** Names of variables, and those that mean something to the scripts. */
export function validateEnvironment(spec: Pick<MiniClusterSpec, "environment" | "secretNames">): Problem[] {
    const own = [
        ...Object.values(SCRIPT_ENVIRONMENT),
        ...Object.values(RESTFUL_ENVIRONMENT),
        "FLUX_URI",
        "JOB_COMPLETION_INDEX",
    ];
    const taken = new Set<string>(own);
    return [...Object.keys(spec.environment), ...spec.secretNames].flatMap((name) => {
        const property = `environment.${name}`;
        if (!VARIABLE.test(name)) {
            return [{ property, reason: "is no name of a variable: letters, digits and '_', the first no digit." }];
        }
        const value = Object.hasOwn(spec.environment, name) ? spec.environment[name] : "";
        return taken.has(name)
            ? [{ property, reason: "is set by MiniCluster itself. Use another name." }]
            : validateWord(property, value);
    });
}

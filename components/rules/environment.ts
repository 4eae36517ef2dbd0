import { RESTFUL_ENVIRONMENT, SCRIPT_ENVIRONMENT } from "../../provider/contract/scriptVariables";
import type { MiniClusterSpec } from "../spec";
import { VARIABLE } from "./patterns";
import type { Problem } from "./problem";
import { validateWord } from "./command";

/** The problem of a name that no shell can read. */
export const NOT_A_VARIABLE = "is not a variable name. Use letters, digits and '_', and start with a letter or '_'.";

/** Refuses variables with invalid names or values, and variables that MiniCluster sets itself. */
export function validateEnvironment(spec: Pick<MiniClusterSpec, "environment" | "secretNames">): Problem[] {
    const own = [
        ...Object.values(SCRIPT_ENVIRONMENT),
        ...Object.values(RESTFUL_ENVIRONMENT),
        "FLUX_EXEC_PATH_PREPEND",
        "FLUX_MINICLUSTER_OWN",
        "FLUX_URI",
        "JOB_COMPLETION_INDEX",
    ];
    const taken = new Set<string>(own);
    return [...Object.keys(spec.environment), ...spec.secretNames].flatMap((name) => {
        const property = `environment.${name}`;
        if (!VARIABLE.test(name)) {
            return [{ property, reason: NOT_A_VARIABLE }];
        }
        const value = Object.hasOwn(spec.environment, name) ? spec.environment[name] : "";
        return taken.has(name)
            ? [{ property, reason: "is set by MiniCluster itself. Use another name." }]
            : validateWord(property, value);
    });
}

/** The texts in a PATH that only a shell replaces. */
const UNEXPANDED = /[$~"'`]/;

/** Warns of variables that don't do what their values look like. */
export function noticeEnvironment({ environment }: Pick<MiniClusterSpec, "environment">): Problem[] {
    const { PATH: path = "" } = environment;
    const names = ["BASHOPTS", "SHELLOPTS"].filter((name) => Object.hasOwn(environment, name));
    return [
        ...(UNEXPANDED.test(path) ? [{ property: "environment.PATH", reason: literal(path) }] : []),
        ...names.map((name) => ({ property: `environment.${name}`, reason: NOT_PASSED_ON })),
    ];
}

const NOT_PASSED_ON =
    "is given, but reaches no broker and no job, because bash would add the options of MiniCluster's scripts to it. " +
    "Set options in your own scripts.";

function literal(path: string): string {
    const cure = "Write all folders in full, or extend the image's PATH in hooks.init: export PATH=/folder:$PATH.";
    return `is ${JSON.stringify(path)}. No shell reads it, so the pods' PATH has exactly this text. ${cure}`;
}

import type { KubernetesObject } from "../../provider/contract/object";
import { SCRIPT_ENVIRONMENT } from "../../provider/contract/scriptVariables";
import { FEATURES } from "../features";
import { type Parameters, scriptVariables } from "../parts/variables";
import type { MiniClusterSpec } from "../spec";

/** Environment of the Flux container: the scripts' parameters, then the user's variables. */
export function environment(spec: MiniClusterSpec): KubernetesObject[] {
    const gather = (of: (feature: (typeof FEATURES)[number]) => Parameters | undefined): Parameters =>
        Object.assign({}, ...FEATURES.map(of));
    return [
        ...scriptVariables({
            ...gather((feature) => feature.parameters?.(spec)),
            programs: FEATURES.flatMap((feature) => feature.programs?.(spec) ?? []).join(" "),
        }),
        ...fieldVariables(gather((feature) => feature.fields?.(spec))),
        ...FEATURES.flatMap((feature) => feature.variables?.(spec) ?? []),
    ];
}

function fieldVariables(fields: Parameters): KubernetesObject[] {
    const names = Object.keys(SCRIPT_ENVIRONMENT) as (keyof Parameters)[];
    return names
        .filter((name) => fields[name] !== undefined)
        .map((name) => ({ name: SCRIPT_ENVIRONMENT[name], valueFrom: { fieldRef: { fieldPath: fields[name] } } }));
}

import { FLUX_CONTAINER } from "../../../provider/contract/names";
import { fluxPatch } from "../../parts/fluxPatch";
import { TERMINATION_LOG } from "../../parts/paths";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** Refuses another file for the termination message, by which the scripts of a pod report to JobStatus. */
export function validateReports({ podTemplate }: MiniClusterSpec): Problem[] {
    const path: unknown = fluxPatch(podTemplate)?.terminationMessagePath ?? TERMINATION_LOG;
    const is = `has terminationMessagePath ${JSON.stringify(path)} in the container ${FLUX_CONTAINER}`;
    const reason = `${is}, whose scripts report by ${TERMINATION_LOG}. Remove it.`;
    return path === TERMINATION_LOG ? [] : [{ property: "podTemplate", reason }];
}

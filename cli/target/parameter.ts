import type { V1Job } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../../provider/contract/names";
import { SCRIPT_ENVIRONMENT } from "../../provider/contract/scriptVariables";

/** The value of a parameter of the pods' scripts. */
export function parameterOf(job: V1Job, name: keyof typeof SCRIPT_ENVIRONMENT): string | undefined {
    const flux = job.spec?.template?.spec?.containers.find((container) => container.name === FLUX_CONTAINER);
    // Kubernetes expands $(NAME), so the manifest has $$ for each $.
    return flux?.env?.find((entry) => entry.name === SCRIPT_ENVIRONMENT[name])?.value?.replaceAll("$$", "$");
}

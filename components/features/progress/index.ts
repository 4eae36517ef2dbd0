import { scriptsIn } from "../../parts/scripts";
import type { Feature } from "../feature";

/** The variable by which the tasks of the command and of a FluxJob find the file for their progress. */
export const PROGRESS_VARIABLE = "MINICLUSTER_PROGRESS";

/** How far a program says it is: docs/progress.md. It has no arguments. */
export const progress: Feature<object, object> = {
    decide: () => ({}),
    files: () => scriptsIn(__dirname, "minicluster-progress.sh", "progress.sh", "start-progress.sh"),
};

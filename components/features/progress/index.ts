import { scriptsIn } from "../../parts/scripts";
import type { Feature } from "../feature";

/** How far a program says it is: docs/progress.md. It has no arguments. */
export const progress: Feature<object, object> = {
    decide: () => ({}),
    files: () => scriptsIn(__dirname, "minicluster-progress.sh", "progress.sh", "start-progress.sh"),
};

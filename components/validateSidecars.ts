import type { Problem } from "./problem";
import type { MiniClusterSpec } from "./spec";
import { validatePrograms } from "./validateProgram";

/** What can't work of the containers beside the broker. */
export function validateSidecars({ sidecars }: MiniClusterSpec): Problem[] {
    const idle = sidecars.flatMap(({ command, leadOnly }, index) => {
        const reason = "is true, but the other ranks need something to run instead. Give the command.";
        return leadOnly && command.length === 0 ? [{ property: `sidecars[${index}].leadOnly`, reason }] : [];
    });
    return [...validatePrograms("sidecars", sidecars), ...idle];
}

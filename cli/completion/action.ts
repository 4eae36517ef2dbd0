import { type Arguments, UsageError } from "../definition/arguments";
import { SCRIPTS } from "./scripts";

/** Prints the script of a shell. */
export async function completion({ words: [shell] }: Arguments): Promise<number> {
    if (!Object.hasOwn(SCRIPTS, shell)) {
        throw new UsageError(`completion is given "${shell}"; it must be one of ${Object.keys(SCRIPTS).join(", ")}.`);
    }
    process.stdout.write(SCRIPTS[shell]);
    return 0;
}

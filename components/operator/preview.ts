import { problemsOf, resolveSpec } from "../arguments/decide";
import type { PlainArgs } from "../args";
import type { Reader, Values } from "./reader";

/** Warns of arguments that the preview of a MiniCluster refuses, as the preview does. */
export function warnOfRefusals(reader: Reader, name: string, values: Values): void {
    const args = values as unknown as PlainArgs;
    for (const { property, reason } of problemsOf(args, () => resolveSpec(name, args))) {
        reader.warn(`args.${property}`, `preview refuses it: ${reason}`);
    }
}

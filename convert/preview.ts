import { decideCluster } from "../components/arguments/decide";
import type { PlainArgs } from "../components/args";
import type { Reader, Values } from "./reader";

/** Warns of arguments that the preview of a MiniCluster refuses, as the preview does. */
export function warnOfRefusals(reader: Reader, name: string, values: Values): void {
    for (const { property, reason } of decideCluster(name, values as unknown as PlainArgs).problems) {
        reader.warn(`args.${property}`, `preview refuses it: ${reason}`);
    }
}

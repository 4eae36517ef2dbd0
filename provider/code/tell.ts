import type { JobCode } from "../contract/code/code";
import { keptByCopy } from "../contract/operation";
import { teller } from "../host/log";
import { isUnknown } from "../host/unknown";
import { codeWords } from "./words";

/** The code in a resource's inputs. */
interface Told {
    readonly before?: JobCode;
    readonly code?: JobCode;
    readonly name: string;
    readonly resourceUrn?: string;
}

/** The codes that this operation has told. For a replacement, the engine calls `check` twice. */
const told = keptByCopy(() => new Set<string>());

/** Tells a preview or an update which files it brings, if they are not those of the state. */
export function tellCode({ before, code, name, resourceUrn }: Told): void {
    if (code === undefined || isUnknown(code) || code.hash === before?.hash) {
        return;
    }
    const mark = `${resourceUrn} ${code.hash}`;
    if (!told().has(mark)) {
        told().add(mark);
        codeWords(before, code).forEach(teller(resourceUrn, name));
    }
}

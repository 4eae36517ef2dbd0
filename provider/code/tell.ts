import type { Code } from "../contract/code/code";
import type { KubernetesObject } from "../contract/object";
import { keptByCopy } from "../contract/operation";
import { teller } from "../host/log";
import { isUnknown } from "../host/unknown";
import { codeWords } from "./words";

interface Inputs {
    readonly code?: Code;
    readonly manifest?: KubernetesObject;
    readonly resourceUrn?: string;
}

/** The codes that this operation has told. For a replacement, the engine calls `check` twice. */
const told = keptByCopy(() => new Set<string>());

/** Tells a preview or an update which files it brings, if they are not those of the state. */
export function tellCode(olds: Inputs, { code, manifest, resourceUrn }: Inputs): void {
    if (code === undefined || isUnknown([code, manifest]) || code.hash === olds.code?.hash) {
        return;
    }
    const mark = `${resourceUrn} ${code.hash}`;
    if (!told().has(mark)) {
        told().add(mark);
        const name = (olds.manifest ?? manifest)?.metadata.name as string;
        codeWords(olds.code, code).forEach(teller(resourceUrn, name));
    }
}

import { createHash } from "node:crypto";

import { type Code, PART_KEY, partNames, shortCode } from "../contract/code/code";
import { CODE_LABEL, labelsOf } from "../contract/labels";
import type { KubernetesObject } from "../contract/object";
import { pack } from "./pack";

/** What decides on the parts of a code: the cluster's ConfigMap has their labels and annotations. */
export interface CodeOwner {
    readonly code?: Code;
    readonly files?: KubernetesObject;
    readonly manifest: KubernetesObject;
}

/** The parts without their contents. */
export function partsOf({ code, files, manifest }: CodeOwner): KubernetesObject[] {
    const { name: cluster, namespace } = manifest.metadata as { name: string; namespace: string };
    const { annotations, labels } = files?.metadata ?? {};
    const names = code === undefined ? [] : partNames(cluster, code);
    return names.map((name) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace, labels: { ...labels, ...labelOf(code) }, annotations },
        immutable: true,
    }));
}

function labelOf(code: Code | undefined): Readonly<Record<string, string>> {
    return code === undefined ? {} : { [CODE_LABEL]: shortCode(code.hash) };
}

/** Selects the parts of a cluster that belong to another code: all if it has none. */
export function otherParts(cluster: string, code: Code | undefined): string {
    const own = Object.entries(labelsOf(cluster)).map(([name, value]) => `${name}=${value}`);
    const others = code === undefined ? [] : [`${CODE_LABEL}!=${shortCode(code.hash)}`];
    return [...own, CODE_LABEL, ...others].join(",");
}

/** The parts with their contents. `data` tells the parts of one packing from those of another version of Node. */
export async function packedParts(owner: CodeOwner & { readonly code: Code }): Promise<KubernetesObject[]> {
    const packed = await pack(owner.code);
    const archive = createHash("sha256").update(packed).digest("hex");
    const size = Math.ceil(packed.length / owner.code.parts);
    return partsOf(owner).map((part, index) => ({
        ...part,
        data: { archive },
        binaryData: { [PART_KEY]: packed.subarray(index * size, (index + 1) * size).toString("base64") },
    }));
}

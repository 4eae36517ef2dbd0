import type { KubernetesObject } from "../../provider/contract/object";

/** A resource with its inputs, as a program registers it. */
export interface Resource {
    readonly urn: string;
    readonly type: string;
    readonly inputs: Readonly<Record<string, unknown>>;
    /** Of an earlier object, which the next update deletes. */
    readonly delete?: boolean;
}

interface Printed {
    readonly deployment?: { readonly resources?: readonly Resource[] };
    readonly steps?: readonly { readonly op: string; readonly newState?: Resource | null }[];
}

/** The type of the component in the URN of each of its children. */
const PARENT = "flux-minicluster:index:MiniCluster$";

/**
 * The children of all MiniClusters in what `pulumi preview --json` or `pulumi stack export` has printed. Undefined for
 * another document, which may have the arguments of a cluster.
 */
export function printedResources(document: KubernetesObject): Resource[] | undefined {
    const { deployment, steps } = document as Printed;
    const all = deployment?.resources ?? steps?.flatMap(({ newState }) => newState ?? []);
    const present = all?.filter((of) => of.inputs !== undefined && of.delete !== true && of.urn.includes(PARENT));
    // A replacement has several steps.
    return present && [...new Map(present.map((of) => [of.urn, of])).values()];
}

import { PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";

import type { Kube } from "./kube";
import { until } from "./until";

/**
 * Gives each node extended resources that no device plugin has. Returns a function that removes them.
 * @see https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/
 */
export async function fakeResources({ core }: Kube, amounts: Readonly<Record<string, number>>): Promise<() => void> {
    const nodes = (await core.listNode()).items.map(({ metadata }) => metadata?.name ?? "");
    const names = Object.keys(amounts);
    const patch = (op: "add" | "remove") =>
        Promise.all(
            nodes.map((name) =>
                core.patchNodeStatus(
                    {
                        name,
                        body: names.map((resource) => ({
                            op,
                            path: `/status/capacity/${resource.replaceAll("/", "~1")}`,
                            ...(op === "add" ? { value: String(amounts[resource]) } : {}),
                        })),
                    },
                    setHeaderOptions("Content-Type", PatchStrategy.JsonPatch),
                ),
            ),
        );
    await patch("add");
    await until("the kubelets allow the fake resources", async () => {
        const { items } = await core.listNode();
        return (
            items.every(({ status }) => names.every((name) => status?.allocatable?.[name] !== undefined)) || undefined
        );
    });
    return () => void patch("remove");
}

import { PatchStrategy } from "@kubernetes/client-node";

import { until } from "../../../e2e/support/until";
import type { Kube } from "../../../e2e/support/kube";

const GROUP = "monitoring.coreos.com";
const NAME = `podmonitors.${GROUP}`;

/** The fields of the Prometheus Operator's own definition that are used here. The API server refuses others. */
const SPEC = {
    type: "object",
    properties: {
        selector: {
            type: "object",
            properties: { matchLabels: { type: "object", additionalProperties: { type: "string" } } },
        },
        podMetricsEndpoints: {
            type: "array",
            items: {
                type: "object",
                properties: { port: { type: "string" }, path: { type: "string" }, interval: { type: "string" } },
            },
        },
    },
};

const DEFINITION = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: NAME },
    spec: {
        group: GROUP,
        names: { kind: "PodMonitor", listKind: "PodMonitorList", plural: "podmonitors", singular: "podmonitor" },
        scope: "Namespaced",
        versions: [
            {
                name: "v1",
                served: true,
                storage: true,
                schema: { openAPIV3Schema: { type: "object", properties: { spec: SPEC } } },
            },
        ],
    },
};

interface Definition {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Makes the API server accept PodMonitors. */
export async function definePodMonitors({ objects }: Kube): Promise<void> {
    // An earlier run that was killed may have left it.
    await objects.patch(DEFINITION, undefined, undefined, "test", true, PatchStrategy.ServerSideApply);
    await until("the definition is established", async () => {
        const { status } = (await objects.read(DEFINITION)) as Definition;
        const isReady = status?.conditions?.some((one) => one.type === "Established" && one.status === "True");
        return isReady ? true : undefined;
    });
}

export async function forgetPodMonitors({ objects }: Kube): Promise<void> {
    await objects.delete(DEFINITION);
}

export function podMonitorOf({ objects }: Kube, namespace: string, name: string) {
    return objects.read({ apiVersion: `${GROUP}/v1`, kind: "PodMonitor", metadata: { name, namespace } });
}

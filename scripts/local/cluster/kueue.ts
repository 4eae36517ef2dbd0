import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { KubernetesObject } from "@kubernetes/client-node";
import { parseAllDocuments } from "yaml";

import { kueueConfiguration } from "../kueue";
import { run, waitUntil } from "../run";
import { adminKubeconfig, certificate, dir, type Context } from "./folders";
import { apiUrl, answersOk } from "./request";
import { controlPlane } from "./servers";
import { kueuePorts } from "./servers/kueue";
import { startStage } from "./startServer";

/** The kinds of Kueue's objects for its pod, which is a process of the machine here, and for its metrics. */
const OF_ITS_POD = ["ConfigMap", "Deployment", "Secret"];
/** The webhooks of Jobs and of Kueue's own kinds. This Kueue handles no other kind. */
const WEBHOOKS = /^[mv](job|clusterqueue|cohort|resourceflavor|workload)\.kb\.io$/;

interface ClientConfig {
    readonly service: { readonly path: string };
}

interface Hook {
    readonly name: string;
    readonly clientConfig: ClientConfig;
}

/** The fields that are read of Kueue's objects. */
interface Item extends KubernetesObject {
    readonly kind: string;
    readonly webhooks?: readonly Hook[];
    readonly spec?: {
        readonly conversion?: { readonly webhook?: Omit<Hook, "name"> };
        readonly service?: object;
    };
}

/** Creates Kueue's objects from its own configuration, starts it, and waits until its APIs answer. */
export async function startKueue(context: Context): Promise<void> {
    const program = join(context.programs.kubectl, "kubectl");
    const kubectl = (...words: string[]): Promise<string> =>
        run(program, [`--kubeconfig=${adminKubeconfig}`, ...words]);
    const text = await kubectl("kustomize", await kueueConfiguration());
    const objects = parseAllDocuments(text).map((document) => document.toJS() as Item);
    const file = join(dir.config, "kueue.json");
    const items = objects
        .filter(({ kind }) => !OF_ITS_POD.includes(kind ?? ""))
        .map((item) => reachable(item, context));
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    await kubectl("apply", "--server-side", "-f", file);
    await startStage(controlPlane(context).ready);
    for (const path of ["kueue.x-k8s.io/v1beta2/workloads", "visibility.kueue.x-k8s.io/v1beta2"]) {
        await waitUntil(`${path} answers`, 60, () => answersOk(apiUrl(context.addresses, `/apis/${path}`)));
    }
}

/** The object with addresses of the process in place of those of a pod. */
function reachable(item: Item, context: Context): object {
    const { kind, spec = {}, webhooks = [] } = item;
    if (kind.endsWith("WebhookConfiguration")) {
        return { ...item, webhooks: webhooks.filter(({ name }) => WEBHOOKS.test(name)).map(toProcess(context)) };
    }
    switch (kind) {
        case "CustomResourceDefinition":
            return { ...item, spec: { ...spec, conversion: converted(spec.conversion, context) } };
        case "APIService":
            return { ...item, spec: { ...spec, service: { ...spec.service, port: kueuePorts.visibility } } };
        case "Service":
            // The API server takes the address as it is. Any other kind of Service would need a route to the process.
            return { ...item, spec: { type: "ExternalName", externalName: context.addresses.controlPlane } };
        default:
            return item;
    }
}

type Conversion = NonNullable<Item["spec"]>["conversion"];

function converted(conversion: Conversion, context: Context): object | undefined {
    const webhook = conversion?.webhook;
    return webhook === undefined ? conversion : { ...conversion, webhook: toProcess(context)(webhook) };
}

/** The webhook with the address of the process. */
function toProcess({ addresses }: Context): (hook: Omit<Hook, "name">) => object {
    return (hook) => ({
        ...hook,
        clientConfig: {
            url: `https://${addresses.controlPlane}:${kueuePorts.webhook}${hook.clientConfig.service.path}`,
            caBundle: readFileSync(certificate("ca")).toString("base64"),
        },
    });
}

import type * as k8s from "@kubernetes/client-node";

import { curveCertificate } from "../../provider/contract/curveKey";
import { configFiles } from "../../components/pod/configMap";
import { job } from "../../components/pod/job";
import { headlessService, leadService } from "../../components/pod/services";
import { configName, namesOf } from "../../provider/contract/names";
import { CERTIFICATE_FILE } from "../../components/parts/paths";
import type { PlainArgs } from "../../components/args";
import { resolveSpec } from "../../components/arguments/decide";
import type { MiniClusterSpec } from "../../components/spec";
import { makeKeyPair } from "../../provider/curveKey/keyPair";
import { completeJob } from "../../provider/indexedJob/identity";
import type { Kube } from "../../provider/kubernetes/client";

/** A Job that is created repeatedly and measured. */
export interface Subject {
    readonly name: string;
    /** Creates the objects that must exist before the Job, and returns the Job. The clock starts with its creation. */
    prepare(kube: Kube, namespace: string): Promise<k8s.V1Job>;
}

/** The reference: the same number of pods of the same image, which only sleep. */
export function bareJob(size: number, image: string): Subject {
    const template = {
        spec: {
            restartPolicy: "Never",
            terminationGracePeriodSeconds: 1,
            containers: [{ name: "flux", image, imagePullPolicy: "IfNotPresent", command: ["sleep", "3600"] }],
        },
    };
    const spec = { completionMode: "Indexed", completions: size, parallelism: size, template };
    return { name: "bare Job", prepare: async () => ({ metadata: { name: "bare" }, spec }) };
}

/** A MiniCluster that runs `hostname`. It has the same objects as with `pulumi up`, and the same names each time. */
export function miniCluster(size: number, image: string, broker: PlainArgs["broker"] = {}): Subject {
    const args: PlainArgs = { image, size, command: ["hostname"], imagePullPolicy: "IfNotPresent", broker };
    const spec = resolveSpec("bench", args);
    return { name: "MiniCluster", prepare: (kube, namespace) => makeObjects(kube, namespace, spec) };
}

async function makeObjects(kube: Kube, namespace: string, spec: MiniClusterSpec): Promise<k8s.V1Job> {
    const { core } = kube;
    const files = configFiles(spec);
    const certificate = curveCertificate(spec.name, makeKeyPair());
    const [lead] = await Promise.all([
        core.createNamespacedService({ namespace, body: leadService(spec) }),
        core.createNamespacedService({ namespace, body: headlessService(spec) }),
        core.createNamespacedConfigMap({
            namespace,
            body: { metadata: { name: configName(spec.name, files) }, data: files },
        }),
        core.createNamespacedSecret({
            namespace,
            body: { metadata: { name: namesOf(spec.name).secret }, stringData: { [CERTIFICATE_FILE]: certificate } },
        }),
    ]);
    return completeJob({
        manifest: job(spec, namespace, files),
        lead: {
            name: lead.metadata?.name ?? "",
            uid: lead.metadata?.uid ?? "",
            address: lead.spec?.clusterIP ?? "",
        },
        nonce: "bench",
        rerunFailed: false,
        interrupt: "allow",
        deleteTimeout: 60,
    });
}

/** Removes all objects of a subject. */
export async function removeObjects(kube: Kube, namespace: string): Promise<void> {
    const { batch, core } = kube;
    const services = await core.listNamespacedService({ namespace, limit: 100 });
    const names = services.items.map(({ metadata }) => metadata?.name ?? "");
    await Promise.all([
        batch.deleteCollectionNamespacedJob({ namespace, propagationPolicy: "Background" }),
        ...names.map((name) => core.deleteNamespacedService({ namespace, name })),
        core.deleteCollectionNamespacedConfigMap({ namespace, fieldSelector: "metadata.name!=kube-root-ca.crt" }),
        core.deleteCollectionNamespacedSecret({ namespace }),
    ]);
}

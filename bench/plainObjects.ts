import * as kubernetes from "@pulumi/kubernetes";
import type { PulumiFn } from "@pulumi/pulumi/automation";

import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

import { curveCertificate } from "../components/flux/curveCert";
import { configFiles, configName } from "../components/manifests/configMap";
import { job } from "../components/manifests/job";
import type { KubernetesObject } from "../components/manifests/object";
import { headlessService, leadService } from "../components/manifests/service";
import { namesOf } from "../components/names";
import { CERTIFICATE_FILE } from "../components/paths";
import { type PlainArgs, resolveSpec } from "../components/spec";
import { makeKeyPair } from "../provider/curveKey/keyPair";

export function miniClusterProgram(name: string, namespace: string, args: () => MiniClusterArgs): PulumiFn {
    return async () => ({ phase: new MiniCluster(name, { restful: { enabled: false }, ...args(), namespace }).phase });
}

/** The same objects from @pulumi/kubernetes alone. Its Job is held: the pods would look for a lead that nobody has told them of. */
export function plainProgram(name: string, namespace: string, args: PlainArgs): PulumiFn {
    const spec = resolveSpec(name, args);
    const files = configFiles(spec);
    const certificate = curveCertificate(name, makeKeyPair());
    const manifest = job(spec, namespace, files);
    const { ConfigMap, Secret, Service } = kubernetes.core.v1;
    return async () => {
        new Service(`${name}-lead`, within(namespace, leadService(spec)));
        new Service(name, within(namespace, headlessService(spec)));
        new ConfigMap(`${name}-config`, within(namespace, { metadata: { name: configName(name, files) }, data: files }));
        const stringData = { [CERTIFICATE_FILE]: certificate };
        new Secret(`${name}-secret`, within(namespace, { metadata: { name: namesOf(name).secret }, stringData }));
        const held = { metadata: { ...manifest.metadata, annotations: SKIP_AWAIT }, spec: { ...manifest.spec, suspend: true } };
        new kubernetes.batch.v1.Job(`${name}-job`, within(namespace, held));
    };
}

const SKIP_AWAIT = { "pulumi.com/skipAwait": "true" };

function within(namespace: string, object: KubernetesObject): KubernetesObject {
    return { ...object, metadata: { ...object.metadata, namespace } };
}

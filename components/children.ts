import { createHmac } from "node:crypto";

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

import type { CurveKey } from "../provider/curveKey/resource";
import type { MiniClusterArgs } from "./args";
import { curveCertificate } from "./flux/curveCert";
import { configName } from "./manifests/configMap";
import { secretKey } from "./manifests/environment";
import { networkPolicy } from "./manifests/networkPolicy";
import type { KubernetesObject } from "./manifests/object";
import { headlessService, leadService } from "./manifests/service";
import { CERTIFICATE_KEY } from "./manifests/volumes";
import { ANNOTATIONS, labelsOf, namesOf } from "./names";
import type { MiniClusterSpec } from "./spec";

type Texts = pulumi.Output<Record<string, string>>;

/** What the children have in common. */
export interface Family {
    readonly args: MiniClusterArgs;
    readonly spec: pulumi.Output<MiniClusterSpec>;
    readonly key: CurveKey;
    readonly options: pulumi.CustomResourceOptions;
}

/** The two Services: rank 0's, and the one that gives the pods their names. */
export function makeServices(name: string, { args, key, options, spec }: Family) {
    const { Service } = kubernetes.core.v1;
    return {
        lead: new Service(`${name}-lead`, placed(spec.apply(leadService), args, key), options),
        headless: new Service(name, placed(spec.apply(headlessService), args, key), options),
    };
}

/** The Secret with the certificate and the secret variables, and a text that changes with its content. */
export function makeSecret(name: string, { args, key, options, spec }: Family, secretEnvironment: Texts) {
    const stringData = pulumi
        .all([spec, key.publicKey, key.secretKey, secretEnvironment])
        .apply(([of, publicKey, secret, variables]): Record<string, string> => ({
            [CERTIFICATE_KEY]: curveCertificate(of.name, { publicKey, secretKey: secret }),
            ...Object.fromEntries(Object.entries(variables).map(([variable, value]) => [secretKey(variable), value])),
        }));
    const metadata = spec.apply((of) => labelled(of, namesOf(of.name).secret));
    const secret = new kubernetes.core.v1.Secret(`${name}-secret`, { ...placed(metadata, args, key), stringData }, options);
    return { secret, version: contentVersion(stringData, key) };
}

/** Nobody who can't read the key can find out from it what the Secret holds. */
function contentVersion(content: Texts, key: CurveKey): pulumi.Output<string> {
    const version = pulumi.all([content, key.secretKey]).apply(([texts, secret]) =>
        createHmac("sha256", secret)
            .update(JSON.stringify(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1))))
            .digest("hex")
            .slice(0, 16),
    );
    return pulumi.unsecret(version);
}

/** The ConfigMap with broker.toml and the scripts. */
export function makeConfig(name: string, { args, key, options, spec }: Family, data: Texts) {
    const metadata = pulumi.all([spec, data]).apply(([of, files]) => labelled(of, configName(of.name, files)));
    return new kubernetes.core.v1.ConfigMap(`${name}-config`, { ...placed(metadata, args, key), data }, options);
}

/** The NetworkPolicy, where one is asked for. */
export function makeNetworkPolicy(name: string, { args, key, options, spec }: Family): pulumi.Resource[] {
    if (args.networkPolicy !== true) {
        return [];
    }
    const object = placed(spec.apply(networkPolicy), args, key);
    return [new kubernetes.networking.v1.NetworkPolicy(`${name}-policy`, object, options)];
}

function labelled(spec: MiniClusterSpec, name: string): KubernetesObject {
    return { metadata: { name, labels: labelsOf(spec.name) } };
}

/**
 * An object's parts as arguments of a resource, in the namespace that was asked for and with the mark of this stack: two
 * stacks that want the same name then have a conflict, instead of one object between them.
 */
function placed(object: pulumi.Output<KubernetesObject>, args: MiniClusterArgs, key: CurveKey) {
    const metadata = {
        name: object.apply((of) => of.metadata.name as string),
        labels: object.apply((of) => of.metadata.labels as Record<string, string>),
        annotations: marked(object, key),
        namespace: args.namespace,
    };
    return { metadata, spec: object.apply((of) => of.spec) };
}

function marked(object: pulumi.Output<KubernetesObject>, key: CurveKey): Texts {
    const both = pulumi.all([object, key.nonce]);
    return both.apply(([of, nonce]): Record<string, string> => ({ ...of.metadata.annotations, [ANNOTATIONS.nonce]: nonce }));
}

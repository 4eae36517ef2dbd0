import { createHmac } from "node:crypto";

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

import type { CurveKey } from "../provider/curveKey/resource";
import type { MiniClusterArgs } from "./args";
import { curveCertificate } from "./flux/curveCert";
import { secretKey } from "./manifests/environment";
import { networkPolicy } from "./manifests/networkPolicy";
import type { KubernetesObject } from "./manifests/object";
import { headlessService, leadService } from "./manifests/service";
import { CERTIFICATE_KEY } from "./manifests/volumes";
import { labelsOf, namesOf } from "./names";
import type { Resolved } from "./resolve";
import type { MiniClusterSpec } from "./spec";

type Options = pulumi.CustomResourceOptions;
type Spec = pulumi.Output<MiniClusterSpec>;

/** The two Services: rank 0's, and the one that gives the pods their names. */
export function makeServices(name: string, args: MiniClusterArgs, spec: Spec, options: Options) {
    const { Service } = kubernetes.core.v1;
    return {
        lead: new Service(`${name}-lead`, placed(spec.apply(leadService), args), options),
        headless: new Service(name, placed(spec.apply(headlessService), args), options),
    };
}

/** The Secret with the certificate and the secret variables, and a text that changes with its content. */
export function makeSecret(name: string, args: MiniClusterArgs, resolved: Resolved, key: CurveKey, options: Options) {
    const { secretEnvironment, spec } = resolved;
    const stringData = pulumi
        .all([spec, key.publicKey, key.secretKey, secretEnvironment])
        .apply(([of, publicKey, secret, variables]): Record<string, string> => ({
            [CERTIFICATE_KEY]: curveCertificate(of.name, { publicKey, secretKey: secret }),
            ...Object.fromEntries(Object.entries(variables).map(([variable, value]) => [secretKey(variable), value])),
        }));
    const metadata = spec.apply((of) => labelled(of, namesOf(of.name).secret));
    const secret = new kubernetes.core.v1.Secret(`${name}-secret`, { ...placed(metadata, args), stringData }, options);
    return { secret, version: contentVersion(stringData, key) };
}

/** Nobody who can't read the key can find out from it what the Secret holds. */
function contentVersion(content: pulumi.Output<Record<string, string>>, key: CurveKey): pulumi.Output<string> {
    const version = pulumi.all([content, key.secretKey]).apply(([texts, secret]) =>
        createHmac("sha256", secret)
            .update(JSON.stringify(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1))))
            .digest("hex")
            .slice(0, 16),
    );
    return pulumi.unsecret(version);
}

/** The ConfigMap with broker.toml and the scripts. */
export function makeConfig(
    name: string,
    args: MiniClusterArgs,
    spec: Spec,
    data: pulumi.Output<Record<string, string>>,
    options: Options,
) {
    const metadata = spec.apply((of) => labelled(of, namesOf(of.name).config));
    return new kubernetes.core.v1.ConfigMap(`${name}-config`, { ...placed(metadata, args), data }, options);
}

/** The NetworkPolicy, where one is asked for. */
export function makeNetworkPolicy(name: string, args: MiniClusterArgs, spec: Spec, options: Options): pulumi.Resource[] {
    if (args.networkPolicy !== true) {
        return [];
    }
    const object = placed(spec.apply(networkPolicy), args);
    return [new kubernetes.networking.v1.NetworkPolicy(`${name}-policy`, object, options)];
}

function labelled(spec: MiniClusterSpec, name: string): KubernetesObject {
    return { metadata: { name, labels: labelsOf(spec.name) } };
}

/** An object's parts as arguments of a resource, in the namespace that was asked for. */
function placed(object: pulumi.Output<KubernetesObject>, args: MiniClusterArgs) {
    const metadata = pulumi
        .all([object, args.namespace])
        .apply(([of, namespace]) => ({ ...of.metadata, ...(namespace === undefined ? {} : { namespace }) }));
    const spec = object.apply((of) => of.spec);
    return { metadata, spec } as { metadata: pulumi.Output<KubernetesObject>; spec: pulumi.Output<any> };
}

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

import { KeygenPod } from "../provider/keygenPod/resource";
import { Keygen } from "./args";
import { clusterAccess } from "./clusterAccess";
import { type Family, labelled, placed, type Texts } from "./family";
import { curveCertificate } from "./flux/curveCert";
import { keyRules, keyServiceAccount, madeKeySecret } from "./manifests/key";
import { keygenPod } from "./manifests/keygenPod";
import { namesOf } from "./names";

/** The certificate that comes from the stack, whoever makes it; undefined where it never is in the stack's hands. */
export function makeCertificate({ args, key, spec }: Family, own: pulumi.Output<string> | undefined, pod: () => KeygenPod) {
    if (own !== undefined || args.certificateSecret !== undefined) {
        return own;
    }
    switch (args.keygen ?? Keygen.Native) {
        case Keygen.Native:
            return pulumi
                .all([spec, key.publicKey, key.secretKey])
                .apply(([of, publicKey, secret]) => curveCertificate(of.name, { publicKey, secretKey: secret }));
        case Keygen.Pod:
            return pod().certificate;
        case Keygen.InitContainer:
            return undefined;
    }
}

interface PodSurroundings {
    readonly files: Texts;
    readonly lead: { readonly [K in "address" | "name" | "uid"]: pulumi.Output<string> };
    readonly namespace: pulumi.Output<string>;
    readonly dependsOn: pulumi.Resource[];
}

/** The pod that makes the key. */
export function makeKeygenPod(name: string, { args, key, options, spec }: Family, { dependsOn, files, lead, namespace }: PodSurroundings) {
    const manifest = pulumi.all([spec, namespace, files]).apply(([of, place, content]) => keygenPod(of, place, content));
    const timeouts = spec.apply((of) => of.timeouts);
    const inputs = { ...clusterAccess(args), manifest, lead, nonce: key.nonce, rotate: args.rotate, timeouts };
    return new KeygenPod(`${name}-keygen`, inputs, { ...options, dependsOn });
}

/** What the pods need to make the key themselves: the Secret that rank 0 fills, and the right to it. */
export function makeKeyRights(name: string, { args, key, options, spec }: Family): pulumi.Resource[] {
    if (args.keygen !== Keygen.InitContainer) {
        return [];
    }
    const { core, rbac } = kubernetes;
    const { metadata } = placed(spec.apply((of) => labelled(of, namesOf(of.name).key)), args, key);
    const secret = placed(spec.apply((of) => labelled(of, madeKeySecret(of))), args, key);
    const role = new rbac.v1.Role(`${name}-curve`, { metadata, rules: spec.apply(keyRules) }, options);
    const makeAccount = () => new core.v1.ServiceAccount(`${name}-curve`, { metadata, automountServiceAccountToken: false }, options);
    const accounts = args.serviceAccountName === undefined ? [makeAccount()] : [];
    const account = pulumi.all([spec, role.metadata.namespace]);
    const subjects = account.apply(([of, namespace]) => [{ kind: "ServiceAccount", name: keyServiceAccount(of), namespace }]);
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role.metadata.name };
    const binding = new rbac.v1.RoleBinding(`${name}-curve`, { metadata, roleRef, subjects }, options);
    // What rank 0 writes is not ours to change back.
    const filled = new core.v1.Secret(`${name}-curve`, secret, { ...options, ignoreChanges: ["data", "stringData"] });
    return [role, ...accounts, binding, filled];
}

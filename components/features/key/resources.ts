import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

import { curveCertificate } from "../../../provider/contract/curveCertificate";
import { namesOf } from "../../../provider/contract/names";
import type { CurveKey } from "../../../provider/curveKey/resource";
import { KeygenPod } from "../../../provider/keygenPod/resource";
import type { clusterAccess } from "../../children/clusterAccess";
import { type Family, labelled, placed } from "../../children/family";
import { isMadeInPods } from "../../parts/certificate";
import { Keygen } from "../../parts/keygen";
import type { KeyArguments } from ".";
import { keygenPod } from "./keygenPod";
import { keyRules, keyServiceAccount, madeKeySecret } from "./parts";

/** The text of the certificate. Undefined for a cluster whose certificate Pulumi doesn't know. */
export function makeCertificate(name: string, family: Family, { own, ...surroundings }: Surroundings) {
    const { key, spec } = family;
    const pod = surroundings.args.keygen === Keygen.Pod ? makeKeygenPod(name, family, surroundings) : undefined;
    const made = own ?? pod?.certificate ?? nativeCertificate(spec, key);
    return spec.apply((of) => (of.key === "secret" || isMadeInPods(of) ? undefined : made));
}

function nativeCertificate(spec: Family["spec"], key: CurveKey): pulumi.Output<string> {
    return pulumi
        .all([spec.apply((of) => of.name), key.publicKey, key.secretKey])
        .apply(([cluster, publicKey, secret]) => curveCertificate(cluster, { publicKey, secretKey: secret }));
}

interface Surroundings {
    readonly access: ReturnType<typeof clusterAccess>;
    readonly args: KeyArguments;
    readonly lead: { readonly [K in "address" | "name" | "uid"]: pulumi.Output<string> };
    readonly namespace: pulumi.Output<string>;
    /** The certificate of the user. */
    readonly own?: pulumi.Output<string>;
}

/** Registers the pod that makes the key. */
function makeKeygenPod(name: string, { key, options, spec }: Family, surroundings: Omit<Surroundings, "own">) {
    const { access, args, lead, namespace } = surroundings;
    const manifest = spec.in(namespace).apply(keygenPod);
    const timeouts = spec.apply((of) => of.timeouts);
    const inputs = { ...access, manifest, lead, nonce: key.nonce, rotate: args.rotate, timeouts };
    // The old certificate is kept until there is a new one.
    return new KeygenPod(`${name}-keygen`, inputs, { ...options, deleteBeforeReplace: false });
}

/**
 * Registers what the pods need to make the key: the Secret that the lead fills, the right to use it, and a service
 * account unless the user gives one.
 */
export function makeKeyRights(
    name: string,
    family: Family,
    { keygen, serviceAccountName }: KeyArguments & { readonly serviceAccountName?: pulumi.Input<string> },
): pulumi.Resource[] {
    if (keygen !== Keygen.InitContainer) {
        return [];
    }
    const { options, spec } = family;
    const { core, rbac } = kubernetes;
    const { metadata } = placed((of) => namesOf(of.name).key, labelled, family);
    const secret = placed(madeKeySecret, labelled, family);
    const role = new rbac.v1.Role(`${name}-curve`, { metadata, rules: spec.apply(keyRules) }, options);
    const makeAccount = () =>
        new core.v1.ServiceAccount(`${name}-curve`, { metadata, automountServiceAccountToken: false }, options);
    const accounts = serviceAccountName === undefined ? [makeAccount()] : [];
    const account = { kind: "ServiceAccount", name: spec.apply(keyServiceAccount), namespace: role.metadata.namespace };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role.metadata.name };
    const binding = new rbac.v1.RoleBinding(`${name}-curve`, { metadata, roleRef, subjects: [account] }, options);
    // The lead writes the data, so an update must not change it back.
    const filled = new core.v1.Secret(`${name}-curve`, secret, { ...options, ignoreChanges: ["data", "stringData"] });
    return [role, ...accounts, binding, filled];
}

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

import { curveCertificate } from "../../../provider/contract/curveKey";
import { CERTIFICATE_FILE } from "../../parts/paths";
import { KeygenPod } from "../../../provider/keygenPod/resource";
import type { MakeChildren, Surroundings } from "../../children/children";
import { type Family, labelled, placed } from "../../children/family";
import { isMadeInPods, madeKeySecret } from "./parts";
import { Keygen } from "./keygen";
import { keygenPod } from "./keygenPod";

/** The certificate, unless the pods make it or have it; and what the pods need to make it. */
export const keyChildren = ((name, family, surroundings) => {
    const { args, certificate: own } = surroundings;
    const pod = args.keygen === Keygen.Pod ? makeKeygenPod(name, family, surroundings) : undefined;
    const made = own ?? pod?.certificate ?? nativeCertificate(family);
    const text = family.spec.apply((of) => (of.key === "secret" || isMadeInPods(of) ? undefined : made));
    return {
        secrets: text.apply((of): Record<string, string> => (of === undefined ? {} : { [CERTIFICATE_FILE]: of })),
        resources: args.keygen === Keygen.InitContainer ? [makeKeySecret(name, family)] : [],
    };
}) satisfies MakeChildren;

function nativeCertificate({ key, spec }: Family): pulumi.Output<string> {
    return pulumi
        .all([spec.apply((of) => of.name), key.publicKey, key.secretKey])
        .apply(([cluster, publicKey, secret]) => curveCertificate(cluster, { publicKey, secretKey: secret }));
}

/** Registers the pod that makes the key. */
function makeKeygenPod(
    name: string,
    { key, options, spec }: Family,
    { access, lead, namespace }: Surroundings,
): KeygenPod {
    const manifest = spec.in(namespace).apply(keygenPod);
    const rotate = spec.apply((of) => of.rotate);
    const timeouts = spec.apply((of) => of.timeouts);
    const inputs = { ...access, manifest, lead, nonce: key.nonce, rotate, timeouts };
    // The old certificate is kept until there is a new one.
    return new KeygenPod(`${name}-keygen`, inputs, { ...options, deleteBeforeReplace: false });
}

/** Registers the Secret that the lead fills. */
function makeKeySecret(name: string, family: Family): pulumi.Resource {
    const secret = placed(madeKeySecret, labelled, family);
    // The lead writes the data, so an update must not change it back.
    const options = { ...family.options, ignoreChanges: ["data", "stringData"] };
    return new kubernetes.core.v1.Secret(`${name}-curve`, secret, options);
}

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

import { secretVersion } from "../../provider/contract/curveKey";
import { ANNOTATIONS } from "../../provider/contract/labels";
import { namesOf } from "../../provider/contract/names";
import type { CurveKey } from "../../provider/curveKey/resource";
import { secret, withTexts } from "../pod/secret";
import { headlessService, leadService } from "../pod/services";
import { orRandom } from "./derivedKey";
import { type Family, placed, type Texts } from "./family";
import type { PlacedSpec } from "../arguments/laterSpec";

/** Registers the two Services: the lead's, and the headless one, which gives the pods their DNS names. */
export function makeServices(name: string, family: Family) {
    const { options } = family;
    const { Service } = kubernetes.core.v1;
    return {
        lead: new Service(
            `${name}-lead`,
            placed((of) => namesOf(of.name).lead, leadService, family, { [ANNOTATIONS.stack]: stackOf() }),
            options,
        ),
        headless: new Service(
            name,
            placed((of) => of.name, headlessService, family),
            options,
        ),
    };
}

/** The Secret with these texts, and a version that changes with them. */
export function secretOf({ key }: Family, spec: PlacedSpec, texts: Texts) {
    const manifest = pulumi.all([spec.apply(secret), texts]).apply(([object, all]) => withTexts(object, all));
    return { secret: pulumi.secret(manifest), version: contentVersion(texts, key) };
}

/**
 * A version of the Secret's content. It is an HMAC with the secret CURVE key, so only a holder of that key can test
 * guesses of the content.
 */
function contentVersion(content: Texts, key: CurveKey): pulumi.Output<string> {
    const version = pulumi
        .all([content, key.secretKey as pulumi.Output<string | undefined>])
        .apply(([texts, secret]) => secretVersion(orRandom(secret), texts));
    return pulumi.unsecret(version);
}

/** Project and stack, by which another stack that wants the same name learns whose it is. */
function stackOf(): string {
    return `${pulumi.getProject()}/${pulumi.getStack()}`;
}

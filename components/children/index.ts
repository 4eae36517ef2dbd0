import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

import { secretVersion } from "../../provider/contract/keyedHash";
import { namesOf } from "../../provider/contract/names";
import { CERTIFICATE_FILE, MUNGE_KEY } from "../../provider/contract/paths";
import type { CurveKey } from "../../provider/curveKey/resource";
import { RESTFUL_KEYS, type RestfulKeys } from "../features/restful/keys";
import { secretKey } from "../parts/variables";
import { secret, withTexts } from "../pod/secret";
import { headlessService, leadService } from "../pod/services";
import { orRandom } from "./derivedKey";
import { type Family, placed, type Texts } from "./family";
import type { PlacedSpec } from "./laterSpec";

/** Registers the two Services: the lead's, and the headless one, which gives the pods their DNS names. */
export function makeServices(name: string, family: Omit<Family, "restful">) {
    const { options } = family;
    const { Service } = kubernetes.core.v1;
    return {
        lead: new Service(
            `${name}-lead`,
            placed((of) => namesOf(of.name).lead, leadService, family),
            options,
        ),
        headless: new Service(
            name,
            placed((of) => of.name, headlessService, family),
            options,
        ),
    };
}

/** The content of the Secret. */
interface SecretContent {
    readonly environment: Texts;
    /** Undefined if the certificate is in another Secret. */
    readonly certificate: pulumi.Output<string | undefined>;
    readonly munge: pulumi.Output<string | undefined>;
}

/** The Secret with the certificate, the keys and the secret variables, and a version that changes with its content. */
export function secretOf({ key, restful }: Family, spec: PlacedSpec, content: SecretContent) {
    const { certificate, environment, munge } = content;
    const texts = pulumi.all([certificate, environment, restful, munge]).apply(
        ([text, variables, keys, mungeText]): Record<string, string> => ({
            ...(text === undefined ? {} : { [CERTIFICATE_FILE]: text }),
            ...Object.fromEntries(Object.entries(variables).map(([variable, value]) => [secretKey(variable), value])),
            ...(keys === undefined ? {} : inSecret(keys)),
            ...(mungeText === undefined ? {} : { [MUNGE_KEY]: mungeText }),
        }),
    );
    const manifest = pulumi.all([spec.apply(secret), texts]).apply(([object, all]) => withTexts(object, all));
    return { secret: pulumi.secret(manifest), version: contentVersion(texts, key) };
}

function inSecret(keys: RestfulKeys): Record<string, string> {
    const names = Object.keys(RESTFUL_KEYS) as (keyof RestfulKeys)[];
    return Object.fromEntries(names.map((name) => [RESTFUL_KEYS[name], keys[name]]));
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

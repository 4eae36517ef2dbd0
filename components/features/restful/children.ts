import * as pulumi from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import type { MakeChildren } from "../../children/children";
import { deriveKey } from "../../children/derivedKey";
import type { MiniClusterSpec } from "../../spec";
import { RESTFUL_KEYS, type RestfulKeys } from ".";

/** The server's keys, and how to reach it. */
export const restfulChildren = ((_name, { key, spec }, { spec: here }) => {
    const rotation = spec.apply(({ restful }) => (restful?.authentication ? { rotate: restful.rotate } : undefined));
    const keys = pulumi
        .all([rotation, key.secretKey])
        .apply(([of, secret]) => (of === undefined ? undefined : deriveKeys(secret, of.rotate)));
    return {
        secrets: keys.apply((made) => (made === undefined ? {} : inSecret(made))),
        outputs: {
            endpoint: here.apply(endpointOf),
            restfulUser: spec.apply(({ restful }) => (restful?.authentication ? restful.user : undefined)),
            restfulToken: pulumi.secret(keys.apply((made) => made?.token)),
            restfulSecretKey: pulumi.secret(keys.apply((made) => made?.secretKey)),
        },
    };
}) satisfies MakeChildren;

/** Derives each secret from the CURVE key. */
export function deriveKeys(curveSecret: string | undefined, rotate = ""): RestfulKeys {
    const derive = (name: string) => deriveKey(curveSecret, name, rotate, 32);
    return {
        token: derive(RESTFUL_KEYS.token),
        secretKey: derive(RESTFUL_KEYS.secretKey),
        signingKey: derive(RESTFUL_KEYS.signingKey),
    };
}

function inSecret(keys: RestfulKeys): Record<string, string> {
    const names = Object.keys(RESTFUL_KEYS) as (keyof RestfulKeys)[];
    return Object.fromEntries(names.map((name) => [RESTFUL_KEYS[name], keys[name]]));
}

/** The server's address, or without a server that of the lead's broker. */
function endpointOf(spec: MiniClusterSpec, namespace: string): string {
    const host = `${namesOf(spec.name).lead}.${namespace}.svc.${spec.clusterDomain}`;
    if (spec.restful === undefined) {
        return `tcp://${host}:${spec.broker.port}`;
    }
    return `${spec.restful.tlsSecret === undefined ? "http" : "https"}://${host}:${spec.restful.port}`;
}

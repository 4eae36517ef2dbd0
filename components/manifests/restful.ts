import { namesOf } from "../../provider/contract/names";
import { RESTFUL_DIR, RESTFUL_ENVIRONMENT, RESTFUL_INSTALL_DIR, RESTFUL_TLS_DIR, RESTFUL_VERSION } from "../../provider/contract/paths";
import { RESTFUL_KEYS } from "../restfulKeys";
import type { MiniClusterSpec } from "../spec";
import { escapeExpansion } from "./environment";
import type { KubernetesObject } from "../../provider/contract/object";
import type { Mount } from "./volumes";

/** Parameters of restful.sh as variables of the container. */
export function restfulVariables({ environment, maxSize, rank, restful }: MiniClusterSpec): KubernetesObject[] {
    if (restful === undefined) {
        return [];
    }
    const values: Record<keyof typeof RESTFUL_ENVIRONMENT, string> = {
        backend: restful.authentication ? "shared-secret" : "none",
        gpus: String((rank?.gpus ?? 0) > 0),
        indexUrl: restful.indexUrl ?? "",
        install: RESTFUL_INSTALL_DIR,
        // The server's own environment is not the jobs'; what was asked for is.
        jobEnvironment: Object.keys(environment).sort().join(","),
        keys: RESTFUL_DIR,
        minimum: RESTFUL_VERSION,
        nodes: String(maxSize),
        port: String(restful.port),
        tls: restful.tlsSecret === undefined ? "" : RESTFUL_TLS_DIR,
        user: restful.user,
        version: restful.version ?? "",
        workers: String(restful.workers),
    };
    const names = Object.keys(values) as (keyof typeof RESTFUL_ENVIRONMENT)[];
    return names.map((name) => ({ name: RESTFUL_ENVIRONMENT[name], value: escapeExpansion(values[name]) }));
}

/** Files and no variables, because the brokers and the jobs would have those too. */
export function restfulMounts({ name, restful }: MiniClusterSpec): Mount[] {
    const volume = (volumeName: string, secretName: string, keys: readonly string[]) => ({
        name: volumeName, secret: { secretName, defaultMode: 0o400, items: keys.map((key) => ({ key, path: key })) },
    });
    const keys = volume("flux-restful", namesOf(name).secret, Object.values(RESTFUL_KEYS));
    const tls = volume("flux-restful-tls", restful?.tlsSecret ?? "", ["tls.crt", "tls.key"]);
    return [
        ...(restful?.authentication ? [{ mountPath: RESTFUL_DIR, readOnly: true, volume: keys }] : []),
        ...(restful?.tlsSecret === undefined ? [] : [{ mountPath: RESTFUL_TLS_DIR, readOnly: true, volume: tls }]),
    ];
}

import type { Input, Unwrap } from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import type { KubernetesObject } from "../../../provider/contract/object";
import { RESTFUL_DIR, RESTFUL_TLS_DIR, STATE_DIR } from "../../parts/paths";
import { RESTFUL_VERSION, validateRestful } from "./rules";
import { RESTFUL_ENVIRONMENT } from "../../../provider/contract/scriptVariables";
import { lazily } from "../../parts/lazily";
import type { Mount } from "../../parts/mount";
import { scriptsIn } from "../../parts/scripts";
import { secretVolume } from "../../parts/secretVolume";
import { unixTextOf } from "../../parts/unixText";
import { escapeExpansion } from "../../parts/variables";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";
import type { RestfulArgs } from "./args";

/** Folder on disk: a RESTful server that is installed at start. */
const RESTFUL_INSTALL_DIR = `${STATE_DIR}/restful`;
/** Default TCP port of the RESTful server: flux-restful's own default. */
const RESTFUL_PORT = 5000;

export interface RestfulArguments {
    /** The Flux RESTful server of a persistent cluster. @default it runs, with a user and a token */
    restful?: Input<RestfulArgs>;
}

export interface RestfulSpec {
    readonly port: number;
    readonly workers: number;
    readonly authentication: boolean;
    readonly user: string;
    /** Peers of the NetworkPolicy. */
    readonly clients?: readonly KubernetesObject[];
    readonly rotate?: string;
    readonly version?: string;
    readonly requirements?: string;
    readonly indexUrl?: string;
    readonly tlsSecret?: string;
}

export interface Decided {
    /** Undefined if the lead runs no RESTful server. */
    readonly restful?: RestfulSpec;
}

/** The file that lists what pip installs if the image has no RESTful server. */
const REQUIREMENTS = "restful-requirements.txt";
const SCRIPTS = [
    ...["restful-answers.py", "restful-pip.py", "restful-server.py", "restful.sh"],
    ...["restful_limits.py", "restful_tls.py"],
];

export const restful: Feature<RestfulArguments, Decided> = {
    decide: ({ restful: given }, { mode }) => {
        // With a command, `restful` is refused if it is given, so it must be in the spec.
        const isAsked = (given?.enabled ?? true) && (mode === "persistent" || given !== undefined);
        return { restful: isAsked ? decideRestful(given ?? {}) : undefined };
    },

    problems: validateRestful,

    ...when(({ restful: given }) => given, {
        files: ({ requirements }) => ({
            ...scriptsIn(__dirname, ...SCRIPTS, REQUIREMENTS),
            ...(requirements === undefined ? {} : { [REQUIREMENTS]: requirements }),
        }),
        programs: () => ["restful:grep"],
        variables: restfulVariables,
        ports: ({ port, tlsSecret }) => [
            { name: "restful", port, protocol: tlsSecret === undefined ? "http" : "https" },
        ],
        mounts: restfulMounts,
    }),
};

function decideRestful(given: Unwrap<RestfulArgs>): RestfulSpec {
    return lazily<RestfulSpec>({
        authentication: () => given.authentication ?? true,
        port: () => given.port ?? RESTFUL_PORT,
        user: () => given.user ?? "flux",
        workers: () => given.workers ?? 1,
        clients: () => given.clients,
        indexUrl: () => given.indexUrl,
        requirements: () => unixTextOf(given.requirements),
        rotate: () => given.rotate,
        tlsSecret: () => given.tlsSecret,
        version: () => given.version,
    });
}

/** Parameters of restful.sh as variables of the container. */
function restfulVariables(given: RestfulSpec, { environment, maxSize, rank }: MiniClusterSpec): KubernetesObject[] {
    const values: Record<keyof typeof RESTFUL_ENVIRONMENT, string> = {
        backend: given.authentication ? "shared-secret" : "none",
        gpus: String(rank.gpus > 0),
        indexUrl: given.indexUrl ?? "",
        install: RESTFUL_INSTALL_DIR,
        // Jobs don't get the server's own environment, only the variables of `environment`.
        jobEnvironment: Object.keys(environment).sort().join(","),
        keys: RESTFUL_DIR,
        minimum: RESTFUL_VERSION,
        nodes: String(maxSize),
        port: String(given.port),
        tls: given.tlsSecret === undefined ? "" : RESTFUL_TLS_DIR,
        user: given.user,
        version: given.version ?? "",
        workers: String(given.workers),
    };
    const names = Object.keys(values) as (keyof typeof RESTFUL_ENVIRONMENT)[];
    return names.map((name) => ({ name: RESTFUL_ENVIRONMENT[name], value: escapeExpansion(values[name]) }));
}

/** Keys are mounted as files, because the brokers and the jobs would get variables too. */
function restfulMounts({ authentication, tlsSecret }: RestfulSpec, spec: MiniClusterSpec): Mount[] {
    const volume = (name: string, secretName: string, files: readonly string[]) =>
        secretVolume(spec, { files, name, secretName });
    const keys = volume("flux-restful", namesOf(spec.name).secret, Object.values(RESTFUL_KEYS));
    const tls = volume("flux-restful-tls", tlsSecret ?? "", ["tls.crt", "tls.key"]);
    return [
        ...(authentication ? [{ mountPath: RESTFUL_DIR, readOnly: true, volume: keys }] : []),
        ...(tlsSecret === undefined ? [] : [{ mountPath: RESTFUL_TLS_DIR, readOnly: true, volume: tls }]),
    ];
}

/** The secrets of the RESTful server, each with its key in the cluster's Secret. */
export const RESTFUL_KEYS = {
    /** Password of the user. */
    token: "restful.token",
    /** Shared with clients that use flux-restful's own handshake. */
    secretKey: "restful.shared-key",
    /** Signs access tokens; only the server knows it. */
    signingKey: "restful.signing-key",
} as const;

export type RestfulKeys = Readonly<Record<keyof typeof RESTFUL_KEYS, string>>;

import { isAbsolute, join, sep } from "node:path";

import type { Cluster, User } from "../clientNode";

/** A user with the fields of a kubeconfig that the client doesn't read. */
export interface FullUser extends User {
    readonly impersonation?: Impersonation;
}

/** What is impersonated besides the name of a user (`as`), which the client reads. */
export interface Impersonation {
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A cluster with the fields of a kubeconfig that the client doesn't read. */
export interface FullCluster extends Cluster {
    readonly disableCompression?: boolean;
    /** What an exec plugin with `provideClusterInfo` gets as the cluster's `config`. */
    readonly execConfig?: unknown;
}

interface Named {
    readonly name?: string;
}

interface RawUser {
    readonly tokenFile?: string;
    readonly "as-groups"?: readonly string[];
    readonly "as-uid"?: string;
    readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
}

interface RawCluster {
    readonly "disable-compression"?: boolean;
    readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[];
}

interface Raw {
    readonly clusters?: readonly (Named & { readonly cluster?: RawCluster | null })[];
    readonly users?: readonly (Named & { readonly user?: RawUser | null })[];
}

/** The name of the extension that holds what a plugin is told of a cluster. */
const EXTENSION = "client.authentication.k8s.io/exec";

const EXTRA = /tokenFile|as-groups|as-uid|as-user-extra|disable-compression|client\.authentication\.k8s\.io\/exec/;

/** Adds the fields that the client doesn't read. `tokenFile` gets the form in which it knows a service account's token. */
export function withExtraFields(
    clusters: readonly Cluster[],
    users: readonly User[],
    text: string,
): { clusters: FullCluster[]; users: FullUser[] } {
    const { clusters: rawClusters = [], users: rawUsers = [] } = EXTRA.test(text) ? parse(text) : {};
    const clustersByName = new Map(rawClusters.map(({ cluster, name }) => [name, cluster]));
    const usersByName = new Map(rawUsers.map(({ name, user }) => [name, user]));
    return {
        clusters: clusters.map((cluster) => ({ ...cluster, ...clusterFields(clustersByName.get(cluster.name) ?? {}) })),
        users: users.map((user) => ({ ...user, ...userFields(usersByName.get(user.name) ?? {}) })),
    };
}

function parse(text: string): Raw {
    const { parse: parseYaml } = require("yaml") as typeof import("yaml");
    return (parseYaml(text) as Raw | null) ?? {};
}

function clusterFields({ "disable-compression": disabled, extensions }: RawCluster): Partial<FullCluster> {
    return {
        ...(disabled === true ? { disableCompression: true } : {}),
        ...Object.fromEntries(
            (extensions ?? [])
                .filter(({ name }) => name === EXTENSION)
                .map(({ extension }) => ["execConfig", extension]),
        ),
    };
}

function userFields(raw: RawUser): Partial<FullUser> {
    const { tokenFile, "as-groups": groups, "as-uid": uid, "as-user-extra": extra } = raw;
    return {
        ...(tokenFile ? { authProvider: { name: "tokenFile", config: { tokenFile } } } : {}),
        ...(groups?.length || uid || extra ? { impersonation: { groups, uid, extra } } : {}),
    };
}

/** Resolves the paths of a user that the client leaves relative to the working directory. */
export function beside(folder: string, user: FullUser): FullUser {
    const { authProvider, exec } = user;
    const tokenFile = authProvider?.config?.tokenFile as string | undefined;
    const command = exec?.command as string | undefined;
    return {
        ...user,
        authProvider:
            tokenFile === undefined
                ? authProvider
                : { ...authProvider, config: { ...authProvider.config, tokenFile: within(folder, tokenFile) } },
        // A name without a slash is a program on the PATH.
        exec: command?.includes(sep) ? { ...exec, command: within(folder, command) } : exec,
    };
}

function within(folder: string, path: string): string {
    return isAbsolute(path) ? path : join(folder, path);
}

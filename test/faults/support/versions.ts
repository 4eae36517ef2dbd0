import { oldestPulumiVersion } from "../../../scripts/local/otherVersions";
import { kubernetesPluginVersion, pulumiVersion } from "../../../scripts/local/pieces";

/** A set of versions with which a Pulumi program runs. */
export interface Versions {
    /** The npm package @pulumi/pulumi. */
    readonly sdk: string;
    /** The Pulumi CLI and its engine. */
    readonly cli: typeof oldestPulumiVersion | typeof pulumiVersion;
    /** The npm package @pulumi/kubernetes. From 4.29 on, the build that creates by POST is its plugin. */
    readonly kubernetes: string;
    readonly node: string;
}

/** The oldest supported versions (peerDependencies and engines of package.json). */
export const OLDEST = {
    sdk: "3.216.0",
    cli: oldestPulumiVersion,
    kubernetes: kubernetesPluginVersion,
    node: "22.19.0",
} as const satisfies Versions;

/** The newest versions: Pulumi's are those of all other tests, the others what the registries served at the last edit. */
export const NEWEST = {
    sdk: pulumiVersion,
    cli: pulumiVersion,
    kubernetes: "4.34.2",
    node: "26.10.0",
} as const satisfies Versions;

/** The Node with which all other tests run. */
export const NODE_OF_THE_TESTS = "24.21.0";

/** Not supported: `engines` of package.json. */
export const TOO_OLD_NODE = "20.20.2";

/** Each version of each thing is in one of these sets at least. */
export const SETS: Readonly<Record<string, Versions>> = {
    oldest: OLDEST,
    newest: NEWEST,
    "oldest SDK and Node, newest engine and plugin": { ...NEWEST, sdk: OLDEST.sdk, node: OLDEST.node },
    "newest SDK, oldest engine and plugin": { ...OLDEST, sdk: NEWEST.sdk, node: NODE_OF_THE_TESTS },
};

export function describeVersions({ cli, kubernetes, node, sdk }: Versions): string {
    return `@pulumi/pulumi ${sdk}, Pulumi ${cli}, @pulumi/kubernetes ${kubernetes}, Node ${node}`;
}

/** Whether the plugin of this version creates objects by POST, and so fails if one exists. */
export function createsByPost(kubernetes: string): boolean {
    const [, minor = 0] = kubernetes.split(".").map(Number);
    return minor >= 29;
}

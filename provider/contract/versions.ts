/** The oldest versions that work. */
export const MINIMUM = {
    /** flux-core; start.sh checks it. */
    flux: "0.72",
    /** From this version on, successPolicy of Jobs is on by default. */
    kubernetes: "1.31",
    /** As in `engines` of package.json. */
    node: "22.19",
} as const;

/** Versions of Kueue's APIs. Kueue 0.15 to 0.19 serve both, earlier releases the second, later releases the first. */
export const KUEUE_VERSIONS = ["v1beta2", "v1beta1"] as const;

/** The version of this package. */
export function packageVersion(): string {
    return (require("flux-minicluster/package.json") as { version: string }).version;
}

/** True if a version is older than `minimum`. */
export function isOlder(
    { major, minor }: { readonly major: number; readonly minor: number },
    minimum: string,
): boolean {
    const least = minimum.split(".").map(Number);
    return major < least[0] || (major === least[0] && minor < least[1]);
}

/** Why a program can't run on this Node; undefined if it can. npm only warns of an older Node. */
export function nodeProblem(name: string, version = process.versions.node): string | undefined {
    const [major, minor] = version.split(".").map(Number);
    return isOlder({ major, minor }, MINIMUM.node)
        ? `${name} needs Node ${MINIMUM.node} or later; this program runs with Node ${version}. ` +
              "Install a later Node, and put its folder first in PATH: the first `node` there runs the program."
        : undefined;
}

/** Fails on an older Node, on which the Kubernetes client fails with an unclear error. */
export function requireNode(version = process.versions.node): void {
    const problem = nodeProblem("flux-minicluster", version);
    if (problem !== undefined) {
        throw new Error(problem);
    }
}

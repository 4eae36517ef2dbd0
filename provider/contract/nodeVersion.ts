/** The oldest Node that works, as in `engines` of package.json. */
const OLDEST = [22, 19] as const;

/** Why a program can't run on this Node; undefined if it can. npm only warns of an older Node. */
export function nodeProblem(name: string, version = process.versions.node): string | undefined {
    const [major, minor] = version.split(".").map(Number);
    const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
    return isOld
        ? `${name} needs Node ${OLDEST.join(".")} or later; this program runs with Node ${version}. ` +
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

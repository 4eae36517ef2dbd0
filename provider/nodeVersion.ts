/** The oldest Node that works, as in `engines` of package.json. */
const OLDEST = [22, 19] as const;

/** Why a program can't run on this Node; undefined if it can. npm only warns of an older Node. */
export function nodeProblem(program: string, version = process.versions.node): string | undefined {
    const [major, minor] = version.split(".").map(Number);
    const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
    return isOld ? `Node is ${version}; ${program} needs ${OLDEST.join(".")} or later.` : undefined;
}

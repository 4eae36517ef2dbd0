import type { Problem } from "./problem";
import type { MiniClusterSpec } from "./spec";

/** As most systems take it. @see https://man7.org/linux/man-pages/man8/useradd.8.html */
const NAME = /^[a-z_][a-z0-9_-]{0,31}$/;
/** Kubernetes' limit. */
const LARGEST = 2147483647;

/** What is wrong with the user. */
export function validateUser({ podSecurityContext, securityContext, user }: MiniClusterSpec): Problem[] {
    if (user === undefined) {
        return [];
    }
    const problems: Problem[] = [];
    if (!NAME.test(user.name) || user.name === "root") {
        const rule = "lower-case letters, digits, '-' and '_', up to 32, and not root";
        problems.push({ property: "user.name", reason: `is "${user.name}"; a name has ${rule}.` });
    }
    if (user.uid < 1 || user.uid > LARGEST) {
        problems.push({ property: "user.uid", reason: `is ${user.uid}; numbers go from 1 to ${LARGEST}.` });
    }
    const contexts = { podSecurityContext, securityContext };
    const others = Object.entries(contexts).filter(([, { runAsUser }]) => runAsUser !== undefined && runAsUser !== user.uid);
    return [
        ...problems,
        ...others.map(([property, { runAsUser }]) => ({
            property: `${property}.runAsUser`,
            reason: `is ${runAsUser}, but user.uid is ${user.uid}. Remove one of them.`,
        })),
    ];
}

import type { types } from "@pulumi/kubernetes";
import type { Input } from "@pulumi/pulumi";

import type { KubernetesObject } from "../../../provider/contract/object";
import { fluxPatch, listOf } from "../../parts/fluxContainer";
import { GROUP_FILE, PASSWD_FILE, STATE_DIR } from "../../parts/paths";
import { preparedMount } from "../../parts/mount";
import { scriptsIn } from "../../parts/scripts";
import { broken, type Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";

/** Home of a user without an account in the image. */
const HOME_DIR = `${STATE_DIR}/home`;

/** The user as which everything in the pods runs. */
export interface UserArgs {
    /** Name of the user and its group. Not "root". @default `flux` */
    name?: Input<string>;
    /** Number of the user and its group, from 1 to 2147483647. @default 1000 */
    uid?: Input<number>;
}

export interface UserArguments {
    /**
     * Run everything as this user and its group, even if the image doesn't have the user: an init container completes
     * passwd and group. The user's home is /var/lib/flux/home, on the pod's disk. If the image has an account with the
     * same name and uid, it is used. An account that matches only one of the two is overridden. A different
     * `podSecurityContext.runAsUser` is refused.
     * @default the image's user
     */
    user?: Input<UserArgs>;
    /**
     * A Kubernetes PodSecurityContext. To run as a user other than root, give `runAsUser`. With `fsGroup`, Kubernetes gives
     * the files of volumes that support it to that group, and lets the group read and write them, at each start of a pod.
     * @default none
     */
    podSecurityContext?: Input<types.input.core.v1.PodSecurityContext>;
}

interface UserSpec {
    readonly name: string;
    readonly uid: number;
}

export interface Decided {
    readonly user?: UserSpec;
    readonly podSecurityContext: KubernetesObject;
}

export const user: Feature<UserArguments, Decided> = {
    decide: ({ podSecurityContext, user: given }) => {
        const account = given && { name: given.name ?? "flux", uid: given.uid ?? 1000 };
        return { user: account, podSecurityContext: { ...asUser(account), ...podSecurityContext } };
    },

    problems: validateUser,

    ...when(({ user: account }) => account, {
        mounts: () => [
            preparedMount(PASSWD_FILE, "passwd", { argument: "user", readOnly: true }),
            preparedMount(GROUP_FILE, "group", { argument: "user", readOnly: true }),
        ],
        prepare: (account) => ({ group: GROUP_FILE, home: HOME_DIR, passwd: PASSWD_FILE, user: account.name }),
    }),

    ...when(homeUser, {
        files: () => scriptsIn(__dirname, "home.sh"),
        parameters: (account) => ({ user: account }),
    }),
};

/** The user of the argument `user` is never root. */
function asUser(account: UserSpec | undefined): KubernetesObject {
    return account === undefined ? {} : { runAsUser: account.uid, runAsGroup: account.uid, runAsNonRoot: true };
}

/** The user whose home the pod must look up; undefined if HOME is given. */
function homeUser({ environment, podTemplate, secretNames, user: account }: MiniClusterSpec): string | undefined {
    const isPatched = listOf(fluxPatch(podTemplate)?.env).some((variable) => variable?.name === "HOME");
    return environment.HOME !== undefined || secretNames.includes("HOME") || isPatched ? undefined : account?.name;
}

/** A user name that most systems accept. @see https://man7.org/linux/man-pages/man8/useradd.8.html */
const NAME = /^[a-z_][a-z0-9_-]{0,31}$/;
/** Largest uid in Kubernetes. */
const LARGEST = 2147483647;

function validateUser({ podSecurityContext, securityContext, user: account }: MiniClusterSpec): Problem[] {
    if (account === undefined) {
        return [];
    }
    const { name, uid } = account;
    const rule = "up to 32 lower-case letters, digits, '-' and '_', starts with a letter or '_', and is not root";
    const contexts = { podSecurityContext, securityContext };
    const others = Object.entries(contexts).filter(
        ([, { runAsUser }]) => runAsUser !== undefined && runAsUser !== account.uid,
    );
    return [
        ...broken([
            [!NAME.test(name) || name === "root", "user.name", `is "${name}"; a user name has ${rule}.`],
            [uid < 1 || uid > LARGEST, "user.uid", `is ${uid}; a uid is from 1 to ${LARGEST}.`],
        ]),
        ...others.map(([property, { runAsUser }]) => ({
            property: `${property}.runAsUser`,
            reason: `is ${runAsUser}, but user.uid is ${account.uid}. Remove one of them.`,
        })),
    ];
}

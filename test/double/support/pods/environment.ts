import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { FAILURES, REMOVALS } from "../../../../provider/contract/labels";
import type { KubernetesObject } from "../../../../provider/contract/object";
import type { User } from "./container";
import { addressOf } from "./network";
import type { Texts } from "./volumes";

export const NAMESPACE = "test";

/** Values that a container's variables may refer to. */
export interface Surroundings {
    readonly hostname: string;
    readonly rank: number;
    /** How many earlier pods of the rank Kubernetes has removed. */
    readonly removals: number;
    readonly secrets: Texts;
    /** Variables of the image. */
    readonly image: Readonly<Record<string, string>>;
    readonly home: string;
}

/** The environment of a container, from the image, from kubelet and from the manifest. */
export function environmentOf(container: KubernetesObject, around: Surroundings): Record<string, string> {
    const found: Record<string, string> = {};
    // The Job controller adds this variable first.
    const own = { name: "JOB_COMPLETION_INDEX", value: String(around.rank) };
    for (const variable of [own, ...(container.env ?? [])] as KubernetesObject[]) {
        found[variable.name] = valueOf(variable, found, around);
    }
    return { HOME: around.home, ...around.image, HOSTNAME: around.hostname, ...found };
}

function valueOf(
    { name, value = "", valueFrom }: KubernetesObject,
    known: Readonly<Record<string, string>>,
    { rank, removals, secrets }: Surroundings,
): string {
    if (valueFrom === undefined) {
        return expand(value, known);
    }
    const fields: Readonly<Record<string, string>> = {
        "metadata.namespace": NAMESPACE,
        [`metadata.annotations['${FAILURES}']`]: "0",
        // Kubernetes leaves out an annotation of 0, and a variable of a missing annotation is empty.
        [`metadata.annotations['${REMOVALS}']`]: removals === 0 ? "" : String(removals),
        "status.podIP": addressOf(rank),
    };
    const text =
        fields[valueFrom.fieldRef?.fieldPath] ?? secrets[valueFrom.secretKeyRef?.name]?.[valueFrom.secretKeyRef?.key];
    if (text === undefined) {
        throw new Error(`Pods on this machine do not support the kind of the variable ${name}.`);
    }
    return text;
}

/** Expands $(NAME) and $$, as Kubernetes does in commands and variables. */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
    return text.replaceAll(/\$\$|\$\(([-._A-Za-z][-._A-Za-z0-9]*)\)/g, (whole, name: string | undefined) =>
        name === undefined ? "$" : (variables[name] ?? whole),
    );
}

/** User and groups of a container. Without a user in the manifest, it is the image's. */
export function userOf(
    podSpec: KubernetesObject,
    container: KubernetesObject,
    image: { readonly uid: number; readonly gid: number } = { uid: 0, gid: 0 },
): User {
    const context: KubernetesObject = { ...podSpec.securityContext, ...container.securityContext };
    const groups = [...(context.supplementalGroups ?? []), ...(context.fsGroup === undefined ? [] : [context.fsGroup])];
    const gid = context.runAsUser === undefined ? image.gid : 0;
    return { uid: context.runAsUser ?? image.uid, gid: context.runAsGroup ?? gid, groups };
}

/** The user's home in the image's passwd, to which the runtime sets HOME. The uppermost folder that has it counts. */
export function homeIn(layers: readonly string[], uid: number): string {
    const folder = layers.find((layer) => existsSync(join(layer, "etc/passwd"))) ?? "/";
    const lines = readFileSync(join(folder, "etc/passwd"), "utf8")
        .split("\n")
        .map((line) => line.split(":"));
    return lines.find(([, , number]) => number === String(uid))?.[5] ?? "/";
}

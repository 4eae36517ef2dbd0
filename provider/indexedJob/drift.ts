import type { V1Job } from "@kubernetes/client-node";

import type { KubernetesObject } from "../contract/object";
import type { SizedBy } from "../contract/sizedBy";
import { parseQuantity } from "../contract/quantity";
import { asleepSince } from "../kubernetes/sleep";
import { defined } from "../host/verbs";
import { isQueued, isSizedByQueue, SIZE_ANNOTATIONS } from "../judge/queue/queuedJob";
import { type Admitted, withoutAdmitted } from "./admitted";
import { SIZE_FIELDS, withoutLead } from "./identity";

/** The live values of the fields that the wanted manifest has. Other fields are not of this package, and no drift. */
export function projectedManifest(wanted: KubernetesObject, live: V1Job): KubernetesObject {
    const { metadata, ...projected } = project(wanted, withoutLead(live)) as KubernetesObject;
    const texts = {
        annotations: projectTexts(wanted.metadata.annotations, live.metadata?.annotations),
        labels: projectTexts(wanted.metadata.labels, live.metadata?.labels),
    };
    return { ...projected, metadata: defined({ ...metadata, ...texts }) };
}

/** Labels or annotations as they are: for them, `"1"` is not `"1000m"`, and an empty text is not none. */
function projectTexts(wanted: Texts | undefined, live: Texts = {}): Texts | undefined {
    return wanted && Object.fromEntries(Object.entries(live).filter(([key]) => Object.hasOwn(wanted, key)));
}

type Texts = Readonly<Record<string, string>>;

/**
 * The same without values that are no drift: those that the API server changed at admission, or that a queue decides.
 */
export function liveManifest(
    wanted: KubernetesObject,
    live: V1Job,
    admitted?: readonly Admitted[],
    sizedBy?: SizedBy,
): KubernetesObject {
    const all = withoutAdmitted(projectedManifest(wanted, live), admitted);
    const projected = sizedBy ? withOwnDecisions(wanted, all, live) : all;
    return isQueued(live) || isQueued(wanted) ? withQueuesDecisions(wanted, projected) : projected;
}

/** A queue decides about suspension and scheduling, and with partial admission about the size. */
function withQueuesDecisions(wanted: KubernetesObject, projected: KubernetesObject): KubernetesObject {
    const fields = ["suspend", "template", ...(isSizedByQueue(wanted) ? SIZE_FIELDS : [])];
    const { annotations: live, ...metadata } = projected.metadata;
    const annotations = wanted.metadata.annotations && {
        ...live,
        ...only(SIZE_ANNOTATIONS, wanted.metadata.annotations),
    };
    return {
        ...projected,
        metadata: defined({ ...metadata, annotations }),
        spec: { ...projected.spec, ...only(fields, wanted.spec) },
    };
}

/** Some fields of an object, if it has them. */
function only(fields: readonly string[], object: KubernetesObject): KubernetesObject {
    return Object.fromEntries(Object.entries(object).filter(([key]) => fields.includes(key)));
}

/** The manifest with the wanted values of what the cluster decides itself: its size, and whether it sleeps. */
function withOwnDecisions({ spec }: KubernetesObject, projected: KubernetesObject, live: V1Job): KubernetesObject {
    const fields = asleepSince(live) === undefined ? SIZE_FIELDS : [...SIZE_FIELDS, "suspend"];
    return { ...projected, spec: { ...projected.spec, ...only(fields, spec) } };
}

function project(wanted: unknown, live: unknown): unknown {
    if (isList(wanted) && isList(live) && wanted.length === live.length) {
        return wanted.map((item, index) => project(item, live[index]));
    }
    if (isObject(wanted) && isObject(live)) {
        const entries = Object.entries(wanted).map(([key, value]) => [key, project(value, live[key])]);
        return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    }
    return isSame(wanted, live) ? wanted : (live ?? undefined);
}

/** Compares single values. Kubernetes leaves out zero values, and writes quantities in its own form. */
function isSame(wanted: unknown, live: unknown): boolean {
    if (live === undefined || live === null) {
        return isZero(wanted);
    }
    if (typeof wanted === "string" && typeof live === "string" && wanted !== live) {
        const quantity = parseQuantity(wanted);
        return quantity !== undefined && quantity === parseQuantity(live);
    }
    return wanted === live;
}

function isZero(value: unknown): boolean {
    if (isObject(value)) {
        return Object.values(value).every(isZero);
    }
    return (
        value === undefined || value === null || value === "" || value === false || value === 0 || isEmptyList(value)
    );
}

function isEmptyList(value: unknown): boolean {
    return isList(value) && value.length === 0;
}

function isList(value: unknown): value is unknown[] {
    return Array.isArray(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

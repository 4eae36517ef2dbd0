import { isDnsName, isLabelValue, isQualifiedName } from "./patterns";
import type { Problem } from "./problem";
import type { MiniClusterSpec } from "./spec";

/** Most bytes that the API server takes in the annotations of an object. */
const MOST_ANNOTATIONS = 256 * 1024;

/** Names of other objects, labels and annotations that the API server doesn't take. */
export function validateNames(spec: MiniClusterSpec): Problem[] {
    return [
        ...validateObjectNames(spec),
        ...validateLabels("labels", spec.labels),
        ...validateLabels("nodeSelector", spec.nodeSelector),
        ...validateAnnotations("annotations", spec.annotations),
        ...validateAnnotations("jobAnnotations", spec.jobAnnotations),
        ...validateImage("image", spec.image),
        ...validateRest(spec),
    ];
}

function validateObjectNames(spec: MiniClusterSpec): Problem[] {
    const { certificateSecret, imagePullSecrets, munge, priorityClassName, restful, runtimeClassName, serviceAccountName } = spec;
    const names: [string, string | undefined][] = [
        ["certificateSecret", certificateSecret], ["mungeSecret", munge?.secret === "" ? undefined : munge?.secret],
        ["priorityClassName", priorityClassName], ["restful.tlsSecret", restful?.tlsSecret], ["runtimeClassName", runtimeClassName],
        ["serviceAccountName", serviceAccountName],
        ...imagePullSecrets.map((name, index): [string, string] => [`imagePullSecrets[${index}]`, name]),
    ];
    return names.flatMap(([property, name]) => validateObjectName(property, name));
}

/** The name of an object that has to exist. */
export function validateObjectName(property: string, name: string | undefined): Problem[] {
    const rule = "up to 253 lower-case letters, digits, '-' and '.', the first and the last a letter or a digit";
    return name === undefined || isDnsName(name) ? [] : [{ property, reason: `is "${name}"; the name of a Kubernetes object has ${rule}.` }];
}

const KEY = "up to 63 letters, digits, '-', '_' and '.', the first and the last a letter or a digit";

function validateLabels(property: string, labels: Readonly<Record<string, string>>): Problem[] {
    return Object.entries(labels).flatMap(([key, value]) => {
        const path = `${property}.${key}`;
        if (!isQualifiedName(key)) {
            return [{ property: path, reason: `is no name of a label: ${KEY}; a domain and '/' may come before it.` }];
        }
        return isLabelValue(value) ? [] : [{ property: path, reason: `is "${value}"; the value of a label has ${KEY}.` }];
    });
}

function validateAnnotations(property: string, annotations: Readonly<Record<string, string>>): Problem[] {
    const bytes = Buffer.byteLength(Object.entries(annotations).flat().join(""));
    const keys = Object.keys(annotations).filter((key) => !isQualifiedName(key.toLowerCase()));
    return [
        ...keys.map((key) => ({ property: `${property}.${key}`, reason: `is no name of an annotation: ${KEY}; a domain and '/' may come before it.` })),
        ...(bytes > MOST_ANNOTATIONS ? [{ property, reason: `have ${bytes} bytes; Kubernetes takes ${MOST_ANNOTATIONS}. Shorten them.` }] : []),
    ];
}

/** An image that is given. */
export function validateImage(property: string, image: string | undefined): Problem[] {
    return image && /\s|\0/.test(image) ? [{ property, reason: `is "${image}"; the name of an image has no spaces.` }] : [];
}

function validateRest({ clusterDomain, queue }: MiniClusterSpec): Problem[] {
    const problems: Problem[] = [];
    if (!isDnsName(clusterDomain.replace(/\.$/, ""))) {
        problems.push({ property: "clusterDomain", reason: `is "${clusterDomain}", which is no domain. Write it like "cluster.local".` });
    }
    if (queue !== undefined && (queue === "" || !isLabelValue(queue))) {
        problems.push({ property: "queue", reason: `is "${queue}"; the name of a LocalQueue has ${KEY}.` });
    }
    return problems;
}

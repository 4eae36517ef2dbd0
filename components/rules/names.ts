import { isDnsName, isLabelValue, isQualifiedName } from "./patterns";
import type { Problem } from "./problem";

/** Most bytes that the API server takes in the annotations of an object. */
const MOST_ANNOTATIONS = 256 * 1024;

/** The name of an object that has to exist. */
export function validateObjectName(property: string, name: string | undefined): Problem[] {
    const rule = "up to 253 lower-case letters, digits, '-' and '.', the first and the last a letter or a digit";
    return name === undefined || isDnsName(name)
        ? []
        : [{ property, reason: `is "${name}"; the name of a Kubernetes object has ${rule}.` }];
}

export const KEY = "up to 63 letters, digits, '-', '_' and '.', the first and the last a letter or a digit";

export function validateLabels(property: string, labels: Readonly<Record<string, string>>): Problem[] {
    return Object.entries(labels).flatMap(([key, value]) => {
        const path = `${property}.${key}`;
        if (!isQualifiedName(key)) {
            return [{ property: path, reason: `is no name of a label: ${KEY}; a domain and '/' may come before it.` }];
        }
        return isLabelValue(value)
            ? []
            : [{ property: path, reason: `is "${value}"; the value of a label has ${KEY}.` }];
    });
}

export function validateAnnotations(property: string, annotations: Readonly<Record<string, string>>): Problem[] {
    const bytes = Buffer.byteLength(Object.entries(annotations).flat().join(""));
    const keys = Object.keys(annotations).filter((key) => !isQualifiedName(key.toLowerCase()));
    return [
        ...keys.map((key) => ({
            property: `${property}.${key}`,
            reason: `is no name of an annotation: ${KEY}; a domain and '/' may come before it.`,
        })),
        ...(bytes > MOST_ANNOTATIONS
            ? [{ property, reason: `have ${bytes} bytes; Kubernetes takes ${MOST_ANNOTATIONS}. Shorten them.` }]
            : []),
    ];
}

/** An image that is given. */
export function validateImage(property: string, image: string | undefined): Problem[] {
    return image && /\s|\0/.test(image)
        ? [{ property, reason: `is "${image}"; the name of an image has no spaces.` }]
        : [];
}

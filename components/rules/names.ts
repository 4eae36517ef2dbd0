import { isDnsName, isLabelValue, isQualifiedName } from "./patterns";
import type { Problem } from "./problem";

/** Largest size of an object's annotations in bytes, a limit of the API server. */
const MOST_ANNOTATIONS = 256 * 1024;

/** Refuses a text that can't be the name of a Kubernetes object. */
export function validateObjectName(property: string, name: string | undefined): Problem[] {
    const rule = "up to 253 lower-case letters, digits, '-' and '.', and starts and ends with a letter or a digit";
    return name === undefined || isDnsName(name)
        ? []
        : [{ property, reason: `is "${name}"; the name of a Kubernetes object has ${rule}.` }];
}

export const KEY = "up to 63 letters, digits, '-', '_' and '.', and starts and ends with a letter or a digit";

export function validateLabels(property: string, labels: Readonly<Record<string, string>>): Problem[] {
    return Object.entries(labels).flatMap(([key, value]) => {
        const path = `${property}.${key}`;
        if (!isQualifiedName(key)) {
            return [
                {
                    property: path,
                    reason: `is not a label name. Such a name has ${KEY}. A domain and '/' may precede it.`,
                },
            ];
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
            reason: `is not an annotation name. Such a name has ${KEY}. A domain and '/' may precede it.`,
        })),
        ...(bytes > MOST_ANNOTATIONS
            ? [{ property, reason: `have ${bytes} bytes; Kubernetes accepts up to ${MOST_ANNOTATIONS}. Shorten them.` }]
            : []),
    ];
}

/** Refuses an image that is missing or empty. `needs` is the image that the cure names. */
export function requireImage(property: string, image: string | undefined, needs = "an image"): Problem[] {
    const found = typeof image === "string" ? 'is ""' : "is missing";
    return image ? [] : [{ property, reason: `${found}; give ${needs}.` }];
}

/** Refuses an image name with spaces or NUL characters. */
export function validateImage(property: string, image: string | undefined): Problem[] {
    return image && /\s|\0/.test(image)
        ? [{ property, reason: `is "${image}"; an image name has no spaces. Remove them.` }]
        : [];
}

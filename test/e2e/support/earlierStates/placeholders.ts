/** Marks a secret in an exported state, whose `plaintext` is JSON. Source: sdk/go/common/resource/sig, `Key`. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";

const PLACEHOLDER = /\{\{fill ([^}]+)\}\}/g;
const BASE64 = "{{base64}}";

export function placeholder(name: string): string {
    return `{{fill ${name}}}`;
}

/** Replaces values, given by their placeholders' names, with placeholders, also inside base64. */
export function blank<T>(tree: T, values: ReadonlyMap<string, string>): T {
    const longestFirst = [...values].sort(([, a], [, b]) => b.length - a.length);
    const blankText = (text: string) => {
        const named = longestFirst.reduce((rest, [name, value]) => rest.replaceAll(value, placeholder(name)), text);
        return named.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?/g, placeholder("time"));
    };
    return mapTexts(tree, (text) => {
        const decoded = decode(text);
        const blanked = decoded === undefined ? undefined : blankText(decoded);
        return blanked === decoded ? blankText(text) : BASE64 + blanked;
    });
}

/** Replaces placeholders with values. */
export function fill<T>(tree: T, valueOf: (name: string) => string): T {
    return mapTexts(tree, (text) => {
        const isEncoded = text.startsWith(BASE64);
        const filled = text
            .slice(isEncoded ? BASE64.length : 0)
            .replaceAll(PLACEHOLDER, (_all, name: string) => valueOf(name));
        return isEncoded ? Buffer.from(filled).toString("base64") : filled;
    });
}

/** Parses the JSON of the marked secrets in an exported state. */
export function openSecrets(tree: any): any {
    return mapObjects(tree, (object) =>
        SIGNATURE in object ? { ...object, plaintext: JSON.parse(object.plaintext) } : object,
    );
}

/** The reverse of `openSecrets`. */
export function closeSecrets(tree: any): any {
    return mapObjects(tree, (object) =>
        SIGNATURE in object ? { ...object, plaintext: JSON.stringify(object.plaintext) } : object,
    );
}

/** Replaces marked secrets with their plain values. */
export function withoutMarks(tree: any): any {
    return mapObjects(tree, (object) => (SIGNATURE in object ? object.plaintext : object));
}

function mapTexts(tree: any, map: (text: string) => string): any {
    if (typeof tree === "string") {
        return map(tree);
    }
    if (Array.isArray(tree)) {
        return tree.map((element) => mapTexts(element, map));
    }
    return isObject(tree) ? mapValues(tree, (value) => mapTexts(value, map)) : tree;
}

/** Maps the innermost objects first. */
function mapObjects(tree: any, map: (object: Record<string, any>) => any): any {
    if (Array.isArray(tree)) {
        return tree.map((element) => mapObjects(element, map));
    }
    return isObject(tree) ? map(mapValues(tree, (value) => mapObjects(value, map))) : tree;
}

function mapValues(object: Record<string, any>, map: (value: any) => any): Record<string, any> {
    return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

const isObject = (value: unknown): value is Record<string, any> => typeof value === "object" && value !== null;

/** Decodes a text in base64. Undefined for any other text. */
function decode(text: string): string | undefined {
    const decoded = Buffer.from(text, "base64");
    return text.length > 8 && decoded.toString("base64") === text ? decoded.toString() : undefined;
}

/** Marks a secret in an exported state, whose `plaintext` is JSON. Source: sdk/go/common/resource/sig, `Key`. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";

const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?/g;

export function placeholder(name: string): string {
    return `{{fill ${name}}}`;
}

/** Replaces values, given by their placeholders' names, with placeholders. */
export function blank<T>(tree: T, values: ReadonlyMap<string, string>): T {
    const longestFirst = [...values].sort(([, a], [, b]) => b.length - a.length);
    return mapTexts(tree, (text) => {
        const named = longestFirst.reduce((rest, [name, value]) => rest.replaceAll(value, placeholder(name)), text);
        return named.replaceAll(TIME, placeholder("time"));
    });
}

/** Replaces placeholders with values. */
export function fill<T>(tree: T, valueOf: (name: string) => string): T {
    return mapTexts(tree, (text) => text.replaceAll(/\{\{fill ([^}]+)\}\}/g, (_all, name: string) => valueOf(name)));
}

/** Parses the JSON of the marked secrets in an exported state. */
export function openSecrets(tree: any): any {
    return mapSecrets(tree, (secret) => ({ ...secret, plaintext: JSON.parse(secret.plaintext) }));
}

/** The reverse of `openSecrets`. */
export function closeSecrets(tree: any): any {
    return mapSecrets(tree, (secret) => ({ ...secret, plaintext: JSON.stringify(secret.plaintext) }));
}

/** Replaces marked secrets with their plain values. */
export function withoutMarks(tree: any): any {
    return mapSecrets(tree, ({ plaintext }) => plaintext);
}

function mapTexts<T>(tree: T, map: (text: string) => string): T {
    return mapValues(tree, (value) => (typeof value === "string" ? map(value) : value));
}

function mapSecrets(tree: any, map: (secret: any) => unknown): any {
    return mapValues(tree, (value: any) => (value?.[SIGNATURE] === undefined ? value : map(value)));
}

/** Maps the values in a tree of JSON, the innermost first. */
function mapValues<T>(tree: T, map: (value: unknown) => unknown): T {
    return JSON.parse(JSON.stringify(tree), (_key, value) => map(value)) as T;
}

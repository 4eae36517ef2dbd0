import type { Json, KubernetesObject } from "../provider/contract/object";

/** An object in a resource. */
export type Fields = Readonly<KubernetesObject>;

/** Arguments, or a pod template, while they are read. */
export type Values = KubernetesObject;

/** One handler for each field. */
export type Handlers = Readonly<Record<string, (value: Json) => void>>;

/** Where the values of a resource are in its file. */
export interface Places {
    readonly lines: ReadonlyMap<string, number>;
    /** Texts in the file of values that are no texts. */
    readonly sources: ReadonlyMap<string, string>;
}

/** Reads a resource and collects warnings for the user. */
export class Reader {
    private readonly collected = new Set<string>();

    constructor(private readonly places: Places = { lines: new Map(), sources: new Map() }) {}

    /** `path (line N): text`, each once. */
    get warnings(): string[] {
        return [...this.collected];
    }

    /** Adds a warning about a field without an equal argument. */
    warn(path: string, text: string): void {
        this.collected.add(`${this.placed(path)}: ${text}`);
    }

    /** The path with its line in the file. A field that isn't there has the line of the object that lacks it. */
    placed(path: string): string {
        const { lines } = this.places;
        let known = path;
        while (known !== "" && !lines.has(known)) {
            known = known.replace(/(^|\.|\[)[^.[]*$/, "");
        }
        return known === "" ? path : `${path} (line ${lines.get(known)})`;
    }

    /** A value as the file has it. */
    source(path: string, value: unknown): string {
        return this.places.sources.get(path) ?? String(value);
    }

    /** Passes every field to its handler. The types and the names of the fields have been checked. */
    read(fields: unknown, handlers: Handlers): void {
        for (const [name, value] of Object.entries((fields ?? {}) as Fields)) {
            handlers[name](value);
        }
    }

    /** A handler that warns, unless the field is false or empty. */
    without(path: string, text: string): (value: Json) => void {
        return (value) => {
            if (value !== false && value !== "" && !isEmpty(value)) {
                this.warn(path, text);
            }
        };
    }
}

/** A handler for a field that needs no argument. */
export function needless(): void {}

export function isEmpty(value: unknown): boolean {
    return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The values that are given. */
export function given(values: Values): Values {
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The object or list, unless it is empty. */
export function filled<T extends object>(value: T): T | undefined {
    return isEmpty(value) ? undefined : value;
}

/** All texts in a value with their paths, except in the fields of these names. */
export function textsIn(path: string, value: unknown, without: readonly string[]): [path: string, text: string][] {
    if (typeof value === "string") {
        return [[path, value]];
    }
    if (Array.isArray(value)) {
        return value.flatMap((item, index) => textsIn(`${path}[${index}]`, item, without));
    }
    const fields = Object.entries((value ?? {}) as Fields).filter(([name]) => !without.includes(name));
    return fields.flatMap(([name, field]) => textsIn(`${path}.${name}`, field, without));
}

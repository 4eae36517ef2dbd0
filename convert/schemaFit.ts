import type { Fields, Reader, Values } from "./reader";
import type { Type, Types } from "./types";
import type { Json } from "../provider/contract/object";
import { distance } from "../provider/contract/suggestion";

/** The types of a resource. */
export interface Schema {
    readonly type: Type;
    /** The warning about a field that isn't in `type`, whose fields are `own`. */
    readonly unknown: (name: string, own: readonly string[]) => string;
}

/**
 * The value in the types of a resource, without null. Warns of values that Kubernetes would refuse, if their meaning is
 * clear, and of fields that the resource doesn't have. Throws at a value without a meaning, such as a map in place of a
 * list.
 */
export function fit(reader: Reader, path: string, value: Json, schema: Schema): Json {
    return new Fitting(reader, schema).fit(path, value, schema.type);
}

/** A text outside of `spec`, if it is given. */
export function fitText(reader: Reader, path: string, value: Json): string | undefined {
    return value === undefined || value === null
        ? undefined
        : fit(reader, path, value, { type: "text", unknown: () => "" });
}

class Fitting {
    constructor(
        private readonly reader: Reader,
        private readonly schema: Schema,
    ) {}

    fit(path: string, value: Json, type: Type): Json {
        if (type === "any") {
            return withoutNull(value);
        }
        if (typeof type === "string") {
            return this.scalar(path, value, type);
        }
        if ("list" in type) {
            return this.list(path, value).map((item, index) =>
                this.fit(`${path}[${index}]`, item ?? this.wrong(`${path}[${index}]`, "empty", "a value"), type.list),
            );
        }
        const map = this.map(path, value);
        return "map" in type
            ? mapped(map, (name, item) => this.fit(`${path}.${name}`, item, type.map))
            : this.fields(path, map, type.fields);
    }

    private fields(path: string, map: Fields, own: Types): Values {
        return mapped(map, (name, item) => {
            const inner = `${path}.${name}`;
            if (Object.hasOwn(own, name)) {
                return this.fit(inner, item, own[name]);
            }
            this.reader.warn(inner, this.schema.unknown(name, Object.keys(own)));
            return undefined;
        });
    }

    private list(path: string, value: Json): Json[] {
        return Array.isArray(value) ? value : this.wrong(path, described(value, path), "a list, each item with a dash");
    }

    private map(path: string, value: Json): Fields {
        const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
        return isMap ? value : this.wrong(path, described(value, path), "a map, with lines such as name: value");
    }

    private scalar(path: string, value: Json, type: string): Json {
        if (typeof value === "object") {
            return this.wrong(path, described(value, path), NAMES[type]);
        }
        const source = this.reader.source(path, value);
        if (type === "text") {
            return typeof value === "string" ? value : this.odd(path, value, source, "quote it");
        }
        if (type === "quantity") {
            const isRight = typeof value === "string" || Number.isInteger(value);
            return isRight ? String(value) : this.odd(path, value, source, "quote it");
        }
        const meant = type === "number" ? numberOf(value) : flagOf(value);
        if (meant === undefined) {
            return this.wrong(path, described(value, path, source), NAMES[type]);
        }
        return meant === value ? value : this.odd(path, value, meant, `write ${meant}`);
    }

    /** Warns of a value that Kubernetes refuses, but whose meaning is clear. */
    private odd(path: string, value: Json, meant: Json, cure: string): Json {
        const found = typeof value === "string" ? "text" : typeof value;
        const shown = described(value, path, this.reader.source(path, value));
        const read = typeof meant === "string" ? "the text in the file" : String(meant);
        const reason = `is ${shown}, in YAML a ${found}, which Kubernetes refuses here. It is read as ${read}; ${cure}.`;
        this.reader.warn(path, reason);
        return meant;
    }

    private wrong(path: string, found: string, expected: string): never {
        throw new Error(
            `${this.reader.placed(path)} is ${found}, but it must be ${expected}. Kubernetes refuses it too.`,
        );
    }
}

const NAMES: Readonly<Record<string, string>> = {
    flag: "true or false",
    number: "a whole number",
    quantity: "a whole number or a text",
    text: "a text",
};

function described(value: Json, path: string, source = String(value)): string {
    if (typeof value === "object") {
        return Array.isArray(value) ? "a list" : "a map";
    }
    if (SECRET.test(path)) {
        return "a hidden value";
    }
    return typeof value === "string" ? `"${value}"` : source;
}

/** Fields and variables whose values may be secrets. */
const SECRET = /(cert|credential|key|passw|secret|token)\w*$/i;

function numberOf(value: Json): number | undefined {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    return Number.isFinite(number) ? (number as number) : undefined;
}

function flagOf(value: Json): boolean | undefined {
    const word = String(value).toLowerCase();
    if (["true", "yes", "on", "1"].includes(word)) {
        return true;
    }
    return ["false", "no", "off", "0"].includes(word) ? false : undefined;
}

/** The fields that have a value. */
function mapped(map: Fields, of: (name: string, value: Json) => Json): Values {
    const entries = Object.entries(map).filter(([, value]) => value !== null && value !== undefined);
    const read = entries.map(([name, value]) => [name, of(name, value)]);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** A value that another program checks, without the null of fields that aren't given. */
function withoutNull(value: Json): Json {
    if (Array.isArray(value)) {
        return value.map(withoutNull);
    }
    return typeof value === "object" && value !== null ? mapped(value, (_, item) => withoutNull(item)) : value;
}

/** The cure for a field that isn't in a schema: the nearest name of the schema, if there is one. */
export function cureOf(name: string, own: readonly string[]): string {
    const near = own.find((field) => isNear(name, field));
    return near === undefined ? "remove it" : `write ${near}, if that is meant, or remove it`;
}

/** True if the names differ in case, or in at most two letters. */
function isNear(name: string, field: string): boolean {
    const [left, right] = [name.toLowerCase(), field.toLowerCase()];
    return distance(left, right) <= Math.min(2, Math.floor(field.length / 3));
}

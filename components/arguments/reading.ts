import * as pulumi from "@pulumi/pulumi";

import { isLater, isPlain, type Later, type Opened, opened } from "./outputs";

/** The values of Outputs and Promises. */
export type Values = ReadonlyMap<Later, Opened>;

/** Opens all Outputs and Promises in a value, at any depth. */
export async function openAll(given: unknown): Promise<Values> {
    const all = [...new Set(latersIn(given))];
    const values = await Promise.all(all.map((one) => opened(pulumi.output(one))));
    return new Map(all.map((one, index) => [one, values[index]]));
}

function latersIn(given: unknown): Later[] {
    if (isLater(given)) {
        return [given];
    }
    return typeof given === "object" && given !== null ? Object.values(given).flatMap(latersIn) : [];
}

/** A value with the values of its Outputs and Promises. An Output that is unknown stays. */
export function withValues(given: unknown, values: Values): unknown {
    if (isLater(given)) {
        const { known, value } = values.get(given) as Opened;
        return known ? value : given;
    }
    if (isPlain(given)) {
        return given;
    }
    return Array.isArray(given)
        ? given.map((item) => withValues(item, values))
        : Object.fromEntries(Object.entries(given as object).map(([name, item]) => [name, withValues(item, values)]));
}

/** Thrown when code reads a value that is unknown. */
class UnknownValue extends Error {
    override readonly message = "A value that isn't known yet was read.";
}

/** The result of a function; undefined if it reads a value that is unknown. */
export function ifAllKnown<T>(read: () => T): T | undefined {
    try {
        return read();
    } catch (error) {
        if (error instanceof UnknownValue) {
            return undefined;
        }
        throw error;
    }
}

/** Records from which Outputs the values come that are read. */
export class Reading {
    readonly used = new Set<Later>();

    constructor(private readonly values: Values) {}

    /**
     * A value that records its reads. `asked` is the same value with its Outputs. A field that is absent because its Output
     * is null counts as read when the names of the fields are.
     */
    view<T>(value: T, asked: unknown): T {
        if (typeof value !== "object" || value === null || isPlain(asked)) {
            return value;
        }
        const parts = asked as Readonly<Record<PropertyKey, unknown>>;
        const see = (name: PropertyKey) => this.see(parts[name]);
        return new Proxy(value, {
            get: (of, name) => {
                see(name);
                const part: unknown = Reflect.get(of, name);
                return isLater(parts[name]) ? part : this.view(part, parts[name]);
            },
            has: (of, name) => {
                see(name);
                return Reflect.has(of, name);
            },
            ownKeys: (of) => {
                Object.keys(parts).forEach(see);
                return Reflect.ownKeys(of);
            },
            getOwnPropertyDescriptor: (of, name) => {
                see(name);
                return Reflect.getOwnPropertyDescriptor(of, name);
            },
        });
    }

    private see(asked: unknown): void {
        if (!isLater(asked)) {
            return;
        }
        this.used.add(asked);
        if (this.values.get(asked)?.known === false) {
            throw new UnknownValue();
        }
    }
}

/** A copy without views. It reads every value, and leaves Outputs as they are. */
export function copied<T>(value: T): T {
    if (typeof value !== "object" || value === null || isLater(value)) {
        return value;
    }
    return (
        Array.isArray(value)
            ? value.map(copied)
            : Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copied(part)]))
    ) as T;
}

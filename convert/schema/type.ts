/**
 * The type of a field of a resource. `quantity` is a whole number or a text. `any` is a value that another
 * program checks.
 */
export type Type =
    | "any"
    | "flag"
    | "number"
    | "quantity"
    | "text"
    | { readonly list: Type }
    | { readonly map: Type }
    | { readonly fields: Types };

/** The types of an object's fields. */
export type Types = Readonly<Record<string, Type>>;

/** Fields of one type. */
export function all(type: Type, names: string): Types {
    return Object.fromEntries(names.split(" ").map((name) => [name, type]));
}

export const TEXTS: Type = { map: "text" };

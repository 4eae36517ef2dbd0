/**
 * The shape of a value. It is checked at run time, because no compiler checks programs in JavaScript or data from
 * files.
 */
export type Shape =
    | "any"
    | "boolean"
    | "integer"
    | "seconds"
    | "number"
    | "kubeconfig"
    | "object"
    | "script"
    | "secret"
    | "text"
    | { readonly choice: readonly string[] }
    | { readonly fields: Readonly<Record<string, Shape>> }
    | { readonly list: Shape }
    | { readonly map: Shape };

/** The shapes of named fields. */
export type Fields = Readonly<Record<string, Shape>>;

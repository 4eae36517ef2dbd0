/** The form of a value. Compilers know it already; programs in JavaScript and data from files do not. */
export type Shape =
    | "any"
    | "boolean"
    | "integer"
    | "kubeconfig"
    | "object"
    | "secret"
    | "text"
    | { readonly choice: readonly string[] }
    | { readonly fields: Readonly<Record<string, Shape>> }
    | { readonly list: Shape }
    | { readonly map: Shape };

/** The forms of named fields. */
export type Fields = Readonly<Record<string, Shape>>;

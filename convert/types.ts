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

/** Objects of Kubernetes in resources. */
const IDENTITY: Types = {
    ...all("number", "runAsGroup runAsUser"),
    runAsNonRoot: "flag",
    seLinuxOptions: { fields: all("text", "level role type user") },
    seccompProfile: { fields: all("text", "localhostProfile type") },
    windowsOptions: {
        fields: { ...all("text", "gmsaCredentialSpec gmsaCredentialSpecName runAsUserName"), hostProcess: "flag" },
    },
};

export const SECURITY_CONTEXT = {
    fields: {
        ...IDENTITY,
        ...all("flag", "allowPrivilegeEscalation privileged readOnlyRootFilesystem"),
        capabilities: { fields: all({ list: "text" }, "add drop") },
        procMount: "text",
    },
} satisfies Type;

export const POD_SECURITY_CONTEXT: Type = {
    fields: {
        ...IDENTITY,
        fsGroup: "number",
        fsGroupChangePolicy: "text",
        supplementalGroups: { list: "number" },
        sysctls: { list: { fields: all("text", "name value") } },
    },
};

export const QUANTITIES: Type = { map: "quantity" };

export const RESOURCES: Type = { fields: all(QUANTITIES, "limits requests") };

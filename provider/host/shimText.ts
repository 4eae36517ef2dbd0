/** Dynamic resources of this package, by the last part of their type. */
export const DYNAMIC_TYPES = [
    "CurveKey",
    "FluxSubmission",
    "FluxTicket",
    "IndexedJob",
    "JobStatus",
    "KeygenPod",
] as const;

export type DynamicType = (typeof DYNAMIC_TYPES)[number];

/** The type of a dynamic resource in the stack's state. */
export function typeToken(type: DynamicType): string {
    return `pulumi-nodejs:dynamic/flux-minicluster:${type}`;
}

/**
 * The provider of a resource in the stack's state: a constant text that loads the installed package, so that an upgrade
 * of the package also fixes refresh and destroy of older stacks. The text must never change, and
 * `flux-minicluster/provider` must accept the states of all earlier versions.
 */
export function shimText(type: DynamicType): string {
    return `exports.handler = () => require("flux-minicluster/provider").verbs("${type}");`;
}

/** The type of the same resource in a program in another language, whose provider is the plugin. */
export function nativeToken(type: DynamicType): string {
    return `flux-minicluster:index:${type}`;
}

/** The types of a resource in states and policies: of programs in TypeScript, and of those in other languages. */
export function tokensOf(type: DynamicType): readonly string[] {
    return [typeToken(type), nativeToken(type)];
}

/** The type of a resource of the plugin; undefined if the URN is that of another resource. */
export function typeOfNative(urn: string): DynamicType | undefined {
    return DYNAMIC_TYPES.find((type) => typeIn(urn) === nativeToken(type));
}

/** The type of a resource in its URN, without those of its parents. */
export function typeIn(urn: string): string | undefined {
    return urn.split("::")[2]?.split("$").at(-1);
}

/** A URN without stack and project: the types of the ancestors, the type and the name, as in `a:b:C$d:e:F::name`. */
export function keyOf(type: string, name: string, parentKey = ""): string {
    const types = parentKey === "" ? type : `${qualifiedTypeOf(parentKey)}$${type}`;
    return `${types}::${name}`;
}

export function qualifiedTypeOf(key: string): string {
    return key.slice(0, key.lastIndexOf("::"));
}

export function nameOf(key: string): string {
    return key.slice(key.lastIndexOf("::") + 2);
}

/** The type without those of the ancestors. */
export function typeOf(key: string): string {
    return qualifiedTypeOf(key).split("$").at(-1)!;
}

export function isProviderType(type: string): boolean {
    return type.startsWith("pulumi:providers:");
}

/**
 * An object whose fields are computed when they are read. So a reader of one field depends only on the arguments of that
 * field.
 */
export function lazily<T extends object>(fields: { readonly [Field in keyof Required<T>]: () => T[Field] }): T {
    const descriptors = Object.entries<() => unknown>(fields).map(([name, get]) => [name, { get, enumerable: true }]);
    return Object.defineProperties({}, Object.fromEntries(descriptors)) as T;
}

/** The object with other values of some fields. No field is computed. */
export function replaced<T extends object>(object: T, fields: { readonly [Field in keyof T]?: () => T[Field] }): T {
    return Object.defineProperties(
        {},
        { ...Object.getOwnPropertyDescriptors(object), ...Object.getOwnPropertyDescriptors(lazily(fields as never)) },
    ) as T;
}

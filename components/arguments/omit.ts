/** The arguments without some of them. */
export function omit(args: object, names: readonly string[]): object {
    return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

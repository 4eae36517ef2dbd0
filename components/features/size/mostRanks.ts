/** The default of `maxSize`: the number of ranks up to which a cluster can grow without being replaced. */
export function mostRanks(args: { readonly maxSize?: number; readonly size?: number }): number {
    return args.maxSize ?? args.size ?? 1;
}

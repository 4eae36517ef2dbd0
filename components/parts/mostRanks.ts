/** The default of `maxSize`: the number of ranks up to which a cluster can grow without being replaced. */
export function mostRanks({ maxSize, size = 1 }: { readonly maxSize?: number; readonly size?: number }): number {
    return maxSize ?? size;
}

/** Names of other programs for ours: a name, several ones, or a sentence for what has no name here. Keys are lower-case. */
export type Synonyms = Readonly<Record<string, string | readonly string[] | { readonly say: string }>>;

/** Most names that are suggested. */
const MOST = 3;

/** Largest Levenshtein distance of a name that is meant. */
const FARTHEST = 2;

/** Length of a name from which its exact distance is of no interest. */
const HUGE = 200;

/** What is said of an unknown name: the names that it stands for elsewhere, the nearest one, or the three nearest of many. */
export function suggestionFor(name: string, known: readonly string[], synonyms: Synonyms): string {
    const meant = Object.hasOwn(synonyms, name.toLowerCase()) ? synonyms[name.toLowerCase()] : undefined;
    if (typeof meant === "object" && "say" in meant) {
        return meant.say;
    }
    const names = [meant ?? []].flat().filter((each) => known.includes(each.split(/[. ]/)[0]));
    const near = names.length > 0 ? [] : nearest(name, known);
    const found = near.length > 0 && far(name, near[0]) <= FARTHEST ? near.slice(0, 1) : names;
    if (found.length > 0) {
        return `Did you mean ${found.join(", ").replace(/, (?=[^,]*$)/, " or ")}?`;
    }
    return known.length <= 2 * MOST ? `Use one of ${known.join(", ")}.` : `The nearest names are ${near.join(", ")}.`;
}

/** The nearest names. One that has the unknown name as a part is nearer than others. */
function nearest(name: string, known: readonly string[]): string[] {
    const isPart = (one: string) => one.toLowerCase().includes(name.toLowerCase());
    return (
        known
            .map((one) => ({ one, order: far(name, one) }))
            // Half a letter nearer than an equally near one.
            .map(({ one, order }) => ({ one, order: isPart(one) ? Math.min(order, FARTHEST + 1) - 0.5 : order }))
            .sort((a, b) => a.order - b.order)
            .slice(0, MOST)
            .map(({ one }) => one)
    );
}

/** A distance. For a huge name, it is the difference of the lengths, because no name is near it. */
function far(a: string, b: string): number {
    return a.length > HUGE ? a.length - b.length : distance(a.toLowerCase(), b.toLowerCase());
}

/** Levenshtein distance. */
export function distance(a: string, b: string): number {
    let row = Array.from({ length: b.length + 1 }, (_, index) => index);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++) {
            const change = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
            next.push(Math.min(change, row[j] + 1, next[j - 1] + 1));
        }
        row = next;
    }
    return row[b.length];
}

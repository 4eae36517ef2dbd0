import { actionOf, type ApiRequest, nth, type Point, type Selector } from "../../e2e/support/faultProxy";

/** A place in an operation where an interruption can happen. */
export interface Step {
    /** Such as `PATCH` or `WATCH`. */
    readonly action: string;
    /** The request's path within the namespace, with `NAME` for the subject's name. */
    readonly place: string;
    /** Number of the request among those with this action and place, from 1 on. */
    readonly occurrence: number;
    readonly point: Point;
}

const CHANGING = ["DELETE", "EXEC", "PATCH", "POST", "PUT"];

/**
 * The steps of an operation that made these requests: before and after each request that changes something, and in each
 * wait. A reopened watch is the same wait.
 */
export function stepsOf(requests: readonly ApiRequest[], name: string): Step[] {
    const counts = new Map<string, number>();
    return requests.flatMap((request): Step[] => {
        const [action, place] = [actionOf(request), placeOf(request, name)];
        const occurrence = (counts.get(`${action} ${place}`) ?? 0) + 1;
        counts.set(`${action} ${place}`, occurrence);
        if (action === "WATCH") {
            return occurrence === 1 ? [{ action, place, occurrence, point: "request" }] : [];
        }
        const points: Point[] = CHANGING.includes(action) ? ["request", "answer"] : [];
        return points.map((point) => ({ action, place, occurrence, point }));
    });
}

export function selectorOf({ action, occurrence, place }: Step, name: string): Selector {
    return nth((request) => actionOf(request) === action && placeOf(request, name) === place, occurrence);
}

/** The request's path in a form that is the same for each subject and each run. */
function placeOf({ created, path }: ApiRequest, name: string): string {
    const [place] = path.split("?");
    // The two Services are created in any order. All other POSTs have one order.
    const isService = created !== undefined && place.endsWith("/services");
    return (
        (isService ? `${place}/${created}` : place)
            .replace(/^.*\/namespaces\/[^/]+\//, "")
            .replace(new RegExp(`(?<=^|/)${name}(?=-|/|$)`), "NAME")
            .replace(/(?<=-config-)[0-9a-f]{8}$/, "HASH")
            // A pod's name ends with its rank and a random suffix, which is removed.
            .replace(/(?<=^pods\/.*-\d+)-[a-z0-9]{5}(?=\/|$)/, "")
    );
}

/** The name of a step in a table. */
export function describeStep({ action, occurrence, place, point }: Step): string {
    const request = `\`${action} ${place}\`${occurrence > 1 ? ` (${occurrence})` : ""}`;
    return action === "WATCH" ? `in ${request}` : `${point === "request" ? "before" : "after"} ${request}`;
}

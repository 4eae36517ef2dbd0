import type { V1LimitRange, V1LimitRangeItem, V1PodSpec } from "@kubernetes/client-node";

import { parseQuantity } from "../../contract/quantity";
import { type Amounts, amountsOf, describeAmount } from "./amounts";
import { allContainers, limitsOf, mapContainers, requestsOf } from "./requests";

/** An item as the API server sends it: the client's class calls the field `default` otherwise. */
type Item = V1LimitRangeItem & { readonly default?: Record<string, string> };

function itemsOf({ spec }: V1LimitRange, type: string): readonly Item[] {
    return (spec?.limits ?? []).filter((item) => item.type === type);
}

/** The spec of a pod with the defaults of the namespace's LimitRanges. */
export function withLimitRanges(spec: V1PodSpec, limitRanges: readonly V1LimitRange[]): V1PodSpec {
    const items = limitRanges.flatMap((limitRange) => itemsOf(limitRange, "Container"));
    return items.reduce(
        (changed, item) =>
            mapContainers(changed, ({ limits, requests, ...resources }) => ({
                ...resources,
                limits: { ...item.default, ...limits },
                requests: { ...item.defaultRequest, ...requests },
            })),
        spec,
    );
}

/** Why LimitRanges keep the API server from creating the pods. The spec has all defaults already. */
export function refusalsByLimitRanges(spec: V1PodSpec, limitRanges: readonly V1LimitRange[]): string[] {
    const containers = allContainers(spec).map(({ name, resources }) => ({
        what: `container ${name}`,
        requests: amountsOf(resources?.requests),
        limits: amountsOf(resources?.limits),
    }));
    const bare = { ...spec, overhead: undefined };
    const pod = { what: "each pod", requests: requestsOf(bare), limits: limitsOf(bare) };
    const tooHigh = limitRanges.length === 0 ? [] : containers.flatMap(aboveLimit);
    const others = limitRanges.flatMap((limitRange) => [
        ...itemsOf(limitRange, "Container").flatMap((item) =>
            containers.flatMap((of) => breaches(limitRange, item, of)),
        ),
        ...itemsOf(limitRange, "Pod").flatMap((item) => breaches(limitRange, item, pod)),
    ]);
    return [...tooHigh, ...others];
}

/** Requests above the default limit, which the API server refuses. */
function aboveLimit({ limits, requests, what }: Measured): string[] {
    return Object.entries(limits)
        .filter(([name, limit]) => (requests[name] ?? 0) > limit)
        .map(([name, limit]) => {
            const requested = describeAmount(name, requests[name] ?? 0);
            return `${what} requests ${requested}, more than its limit of ${describeAmount(name, limit)} from a LimitRange`;
        });
}

interface Measured {
    readonly what: string;
    readonly requests: Amounts;
    readonly limits: Amounts;
}

/** @see https://github.com/kubernetes/kubernetes/blob/master/plugin/pkg/admission/limitranger/admission.go */
function breaches({ metadata }: V1LimitRange, item: Item, { limits, requests, what }: Measured): string[] {
    const by = `LimitRange ${metadata?.name}`;
    const least = Object.entries(amountsOf(item.min)).flatMap(([name, amount]) =>
        (requests[name] ?? 0) < amount || (limits[name] ?? amount) < amount
            ? [
                  `${by} wants at least ${describeAmount(name, amount)}, ${given(what, name, requests[name])}${cureOf(what)}`,
              ]
            : [],
    );
    const most = Object.entries(amountsOf(item.max)).flatMap(([name, amount]) =>
        (limits[name] ?? Infinity) > amount || (requests[name] ?? 0) > amount
            ? [`${by} allows at most ${describeAmount(name, amount)}, ${given(what, name, limits[name])}`]
            : [],
    );
    const ratios = Object.entries(item.maxLimitRequestRatio ?? {}).flatMap(([name, text]) => {
        const ratio = (limits[name] ?? 0) / (requests[name] || Infinity);
        return ratio === 0 || ratio > (parseQuantity(text) ?? Infinity)
            ? [
                  `${by} allows a limit of ${name} up to ${text} times the request, ${what} has another one${cureOf(what)}`,
              ]
            : [];
    });
    return [...least, ...most, ...ratios];
}

/** The amounts of the cluster's own containers have no argument. */
function cureOf(what: string): string {
    return what.startsWith("container flux-") ? " (change its resources in podTemplate.spec.initContainers)" : "";
}

function given(what: string, name: string, amount: number | undefined): string {
    return `${what} has ${amount === undefined ? `no value for ${name}` : describeAmount(name, amount)}`;
}

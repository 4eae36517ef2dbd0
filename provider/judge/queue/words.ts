import { type Amounts, amountsOf, describeAmount, describeNumber, sum, times } from "../fit/amounts";
import { requestsOf, withApiDefaults } from "../fit/requests";
import type { Place } from "./position";
import { isGrowth, waitingCondition, type Workload } from "./workload";

/**
 * Why a Job waits in its queue: `third of 5 in team-a; quota: 12 cpu needed, 4 free`. Undefined if Kueue gives no reason.
 */
export function describeWaiting(workload: Workload, place: Place | undefined): string | undefined {
    const condition = waitingCondition(workload);
    if (condition === undefined) {
        return undefined;
    }
    const where = place === undefined ? [] : [describePlace(place)];
    return [...where, describeQuota(workload, condition.message) ?? condition.message].join("; ");
}

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

function describePlace({ position, queue, waiting }: Place): string {
    if (position === undefined) {
        return `one of ${waiting} in ${queue}`;
    }
    return `${ORDINALS[position - 1] ?? `number ${position}`} of ${waiting} in ${queue}`;
}

/** Kueue's words for a quota that others use, and for one that is too small in any case. */
const USED = /insufficient unused quota for (\S+) in flavor (\S+), (\S+) more needed/g;
const TOO_SMALL = /insufficient quota for (\S+) in flavor (\S+), .*?maximum capacity \(([^)\s]+)\)/g;

interface Lack {
    readonly resource: string;
    readonly flavor: string;
    readonly amount: number;
}

/** The numbers of Kueue's message; undefined if it has none. */
function describeQuota(workload: Workload, message: string): string | undefined {
    const needed = neededBy(workload);
    const used = lacksIn(message, USED);
    const small = lacksIn(message, TOO_SMALL);
    const resources = [...new Set([...used, ...small].map(({ resource }) => resource))];
    const several = new Set([...used, ...small].map(({ flavor }) => flavor)).size > 1;
    const texts = resources.map((resource) => {
        const need = isGrowth(workload) ? undefined : needed[resource];
        const [free, most] = [used, small].map((all) => all.filter((lack) => lack.resource === resource));
        const parts = [
            ...free.map((lack) => describeFree(lack, need, several)),
            ...most.map(({ amount, flavor }) => `${describeNumber(resource, amount)} in all${of(flavor, several)}`),
        ];
        return need === undefined
            ? parts.join(", ")
            : [`${describeAmount(resource, need)} needed`, ...parts].join(", ");
    });
    return texts.length === 0 ? undefined : `quota: ${texts.join("; ")}`;
}

function describeFree({ amount, flavor, resource }: Lack, need: number | undefined, several: boolean): string {
    return need === undefined
        ? `${describeAmount(resource, amount)} more needed${of(flavor, several)}`
        : `${describeNumber(resource, Math.max(0, need - amount))} free${of(flavor, several)}`;
}

const of = (flavor: string, several: boolean): string => (several ? ` in flavor ${flavor}` : "");

function lacksIn(message: string, words: RegExp): Lack[] {
    return [...message.matchAll(words)].map(([, resource = "", flavor = "", text = ""]) => {
        return { resource, flavor, amount: amountsOf({ [resource]: text })[resource] ?? 0 };
    });
}

/** What all pods of a Workload request. */
export function neededBy({ spec }: Workload): Amounts {
    return sum(
        ...(spec?.podSets ?? []).map(({ count, template }) => {
            const each = requestsOf(withApiDefaults(template.spec ?? { containers: [] }));
            return times(each, count);
        }),
    );
}

import { parseQuantity } from "../../contract/quantity";
import { sizeInWords } from "../../contract/words";

/** Amounts of resources by their names. They are integers, as the scheduler counts them: CPUs in thousandths. */
export type Amounts = Readonly<Record<string, number>>;

/** Resources as Kubernetes' objects have them. */
export type Quantities = Readonly<Record<string, string>>;

/** Fractions up to this are errors of the arithmetic, and not rounded up. */
const ERROR = 1e-6;

export function amountsOf(quantities: Quantities = {}): Amounts {
    return Object.fromEntries(
        Object.entries(quantities).map(([name, text]) => {
            const value = parseQuantity(String(text)) ?? 0;
            return [name, Math.ceil((isCpu(name) ? value * 1000 : value) - ERROR)];
        }),
    );
}

/** True for `cpu`, and for the names that a ResourceQuota gives it. */
function isCpu(name: string): boolean {
    return name === "cpu" || name.endsWith(".cpu");
}

export function sum(...all: readonly Amounts[]): Amounts {
    return combine(all, (one, other) => one + other);
}

export function largest(...all: readonly Amounts[]): Amounts {
    return combine(all, Math.max);
}

function combine(all: readonly Amounts[], both: (one: number, other: number) => number): Amounts {
    const result: Record<string, number> = {};
    for (const amounts of all) {
        for (const [name, amount] of Object.entries(amounts)) {
            result[name] = result[name] === undefined ? amount : both(result[name], amount);
        }
    }
    return result;
}

/** The amounts of so many. */
export function times(amounts: Amounts, count: number): Amounts {
    return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * count]));
}

/** How many times the wanted amounts are in the free ones; no limit if nothing is wanted. */
export function timesIn(wanted: Amounts, free: Amounts): number {
    const times = Object.entries(wanted)
        .filter(([, amount]) => amount > 0)
        .map(([name, amount]) => Math.floor((free[name] ?? 0) / amount));
    return Math.max(0, Math.min(Infinity, ...times));
}

/** True for a resource of a device plugin, such as `nvidia.com/gpu`. */
export function isExtended(name: string): boolean {
    return name.includes("/") && !/(^|\.)kubernetes\.io\//.test(name);
}

const BYTES = /(^|\.)(memory|ephemeral-storage|hugepages-.*)$/;

/** An amount in words: `8 cpu`, `1.5 GiB memory`. */
export function describeAmount(name: string, amount: number): string {
    return `${describeNumber(name, amount)} ${name}`;
}

/** An amount in words without its resource: `8`, `1.5 GiB`. */
export function describeNumber(name: string, amount: number): string {
    return BYTES.test(name) ? sizeInWords(amount) : String(numberOf(name, amount));
}

/** A part of an amount: `26 of 64 cpu`. */
export function describePart(name: string, part: number, whole: number): string {
    return `${describeNumber(name, part)} of ${describeAmount(name, whole)}`;
}

/** The amounts that matter to a reader: `8 cpu, 32 GiB memory`. */
export function describeAmounts(amounts: Amounts): string {
    const given = Object.entries(amounts).filter(([, amount]) => amount > 0);
    return given.map(([name, amount]) => describeAmount(name, amount)).join(", ");
}

function numberOf(name: string, amount: number): number {
    return isCpu(name) ? amount / 1000 : amount;
}

/** A value of a plain scalar. */
export type Plain = string | number | boolean | null;

/** Plain scalars that are no texts, as the YAML 1.1 of kubectl and the API server reads them. */
const WORDS = new Map<string, Plain>([
    ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((word) => [word, true] as const),
    ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
        (word) => [word, false] as const,
    ),
    ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
    ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
    ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Infinity] as const),
    ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, -Infinity] as const),
]);

/** Digits of whole numbers with their radix. A leading zero makes a number octal, if it has only octal digits. */
const RADIXES: readonly (readonly [pattern: RegExp, radix: number])[] = [
    [/^0[xX]([\da-fA-F]+)$/, 16],
    [/^0[bB]([01]+)$/, 2],
    [/^0[oO]?([0-7]+)$/, 8],
    [/^(\d+)$/, 10],
];

const FRACTION = /^(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;

/**
 * The value of a plain scalar. Dates and numbers of base 60 are texts.
 * @see https://github.com/kubernetes-sigs/yaml
 */
export function plainValue(source: string): Plain {
    const word = WORDS.get(source);
    if (word !== undefined) {
        return word;
    }
    return /^[-+.\d]/.test(source) ? (numberIn(source.replaceAll("_", "")) ?? source) : source;
}

function numberIn(source: string): number | undefined {
    const [, sign, digits] = /^([-+]?)(.*)$/.exec(source) ?? [];
    for (const [pattern, radix] of RADIXES) {
        const found = pattern.exec(digits)?.[1];
        if (found !== undefined) {
            return signed(sign, parseInt(found, radix));
        }
    }
    const value = FRACTION.test(digits) ? Number(digits) : Infinity;
    return Number.isFinite(value) ? signed(sign, value) : undefined;
}

/** Not -0, which no JSON has. */
function signed(sign: string, value: number): number {
    return sign === "-" && value !== 0 ? -value : value;
}

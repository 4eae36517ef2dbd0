/** Kubernetes quantities. @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */

const PATTERN = /^([+-]?(?:\d+\.?\d*|\.\d+))(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

const FACTORS: Readonly<Record<string, number>> = {
    n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
    Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

/** The number that a quantity stands for, or undefined where the text is no quantity. */
export function parseQuantity(text: string): number | undefined {
    const match = PATTERN.exec(text);
    if (match === null) {
        return undefined;
    }
    const [, digits, suffix] = match;
    if (suffix === undefined) {
        return Number(digits);
    }
    return Number(digits) * (FACTORS[suffix] ?? 10 ** Number(suffix.slice(1)));
}

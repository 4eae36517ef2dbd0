/** Kubernetes quantities. @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */

const PATTERN = /^([+-]?(?:\d+\.?\d*|\.\d+))(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

/** Powers of ten as exponents: 1001 multiplied by 0.001 would not be the same number as "1.001". */
const DECIMAL: Readonly<Record<string, string>> = {
    n: "e-9",
    u: "e-6",
    m: "e-3",
    k: "e3",
    M: "e6",
    G: "e9",
    T: "e12",
    P: "e15",
    E: "e18",
};

const BINARY: Readonly<Record<string, number>> = {
    Ki: 2 ** 10,
    Mi: 2 ** 20,
    Gi: 2 ** 30,
    Ti: 2 ** 40,
    Pi: 2 ** 50,
    Ei: 2 ** 60,
};

/** The number that a quantity stands for; undefined if the text is not a quantity. */
export function parseQuantity(text: string): number | undefined {
    const match = PATTERN.exec(text);
    if (match === null) {
        return undefined;
    }
    const [, digits, suffix = ""] = match;
    const binary = BINARY[suffix];
    return binary === undefined ? Number(digits + (DECIMAL[suffix] ?? suffix)) : Number(digits) * binary;
}

/** True for a quantity of zero or more. */
export function isAmount(text: string): boolean {
    return (parseQuantity(text) ?? -1) >= 0;
}

/** Formats seconds for a message: `45 s`, `12 min`, `3 h 20 min`. */
export function describeSeconds(seconds: number): string {
    if (seconds < 90) {
        return `${Math.round(seconds)} s`;
    }
    const minutes = Math.round(seconds / 60);
    if (minutes < 90) {
        return `${minutes} min`;
    }
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

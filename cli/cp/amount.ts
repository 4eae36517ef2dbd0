const UNITS = ["kB", "MB", "GB", "TB"];

/** A number of bytes in its largest unit, such as `1.5 GB`. */
export function amountOf(bytes: number): string {
    const power = Math.min(UNITS.length, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
    const value = bytes / 1000 ** power;
    return power === 0 ? `${Math.round(bytes)} B` : `${value.toFixed(value < 10 ? 1 : 0)} ${UNITS[power - 1]}`;
}

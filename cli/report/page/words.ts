/** Formats seconds in a table: `0.42 s`, `12.3 s`, `4 min 10 s`, `3 h 20 min`, `2 d 4 h`. */
export function duration(seconds: number | undefined): string {
    if (seconds === undefined) {
        return "–";
    }
    if (seconds < 59.95) {
        return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`;
    }
    const whole = Math.round(seconds);
    const [unit, part] = UNITS.find(([each]) => whole >= each.seconds) ?? UNITS[UNITS.length - 1];
    const rest = Math.floor((whole % unit.seconds) / part.seconds);
    return `${Math.floor(whole / unit.seconds)} ${unit.name}${rest === 0 ? "" : ` ${rest} ${part.name}`}`;
}

const [DAY, HOUR, MINUTE, SECOND] = [
    { name: "d", seconds: 86_400 },
    { name: "h", seconds: 3600 },
    { name: "min", seconds: 60 },
    { name: "s", seconds: 1 },
];
const UNITS = [
    [DAY, HOUR],
    [HOUR, MINUTE],
    [MINUTE, SECOND],
] as const;

/** Seconds between two times; undefined if one isn't known. */
export function between(from: number | undefined, to: number | undefined): number | undefined {
    return from === undefined || to === undefined ? undefined : Math.max(0, (to - from) / 1000);
}

/** A time as `2026-11-26 11:15:02 UTC`. */
export function instant(time: number | undefined): string {
    return time === undefined ? "–" : `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export function percent(share: number): string {
    return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** Core seconds as `12.5 core hours`, or in a smaller unit. */
export function coreTime(seconds: number): string {
    const [unit, amount] = seconds < 3600 ? ["core minutes", seconds / 60] : ["core hours", seconds / 3600];
    return `${amount.toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`;
}

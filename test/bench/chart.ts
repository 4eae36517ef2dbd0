import { type Series, summarize } from "./table";

const WIDTH = 760;
const LEFT = 230;
const ROW = 26;

/** A bar from the minimum to the maximum for each subject and phase, with a line at the median. */
export function drawChart(title: string, series: readonly Series[], phases: readonly string[]): string {
    const rows = phases.flatMap((phase) =>
        series.flatMap(({ name, runs }) => {
            const summary = summarize(runs.map((run) => run[phase]));
            return summary === undefined
                ? []
                : [{ label: `${name}: ${phase}`, ...summary, isOwn: name === "MiniCluster" }];
        }),
    );
    const most = Math.ceil(Math.max(1, ...rows.map(({ max }) => max)));
    const x = (seconds: number) => Math.round(LEFT + (seconds / most) * (WIDTH - LEFT - 70));
    const bottom = 40 + rows.length * ROW;
    const axis = Array.from({ length: most + 1 }, (_, second) => second).map(
        (second) =>
            `<line x1="${x(second)}" y1="34" x2="${x(second)}" y2="${bottom}" stroke="#d0d7de"/>` +
            `<text x="${x(second)}" y="${bottom + 16}" text-anchor="middle">${second} s</text>`,
    );
    const bars = rows.map(({ isOwn, label, max, median, min }, index) => {
        const y = 40 + index * ROW;
        const width = Math.max(x(max) - x(min), 2);
        return (
            `<text x="${LEFT - 10}" y="${y + 15}" text-anchor="end">${label}</text>` +
            `<rect x="${x(min)}" y="${y + 4}" width="${width}" height="14" rx="3" fill="${isOwn ? "#0969da" : "#8c959f"}"/>` +
            `<line x1="${x(median)}" y1="${y + 2}" x2="${x(median)}" y2="${y + 20}" stroke="#ffffff" stroke-width="3"/>` +
            `<text x="${x(max) + 8}" y="${y + 15}">${median.toFixed(2)}</text>`
        );
    });
    return frame(title, WIDTH, bottom + 28, [...axis, ...bars]);
}

/** An SVG image with a title and a white background. */
export function frame(title: string, width: number, height: number, content: readonly string[]): string {
    return [
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
        `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
        `<text x="16" y="22" font-size="14" font-weight="bold">${title}</text>`,
        ...content,
        "</svg>",
        "",
    ].join("\n");
}

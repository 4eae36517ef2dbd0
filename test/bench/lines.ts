import { frame } from "./chart";

const WIDTH = 760;
const LEFT = 60;
const RIGHT = 560;
const TOP = 40;
const BOTTOM = 440;
const COLOURS = ["#0969da", "#8c959f", "#bc4c00", "#1a7f37", "#8250df", "#bf8700"];

/** A line of the chart. */
export interface Line {
    readonly name: string;
    /** x and y of each point, both above 0. */
    readonly points: readonly (readonly [number, number])[];
}

/**
 * Draws lines with logarithmic axes, on which every growth in proportion has the same slope. A dashed line shows this
 * slope, through the last point of the first line.
 */
export function drawLines(title: string, unit: string, lines: readonly Line[]): string {
    const all = lines.flatMap(({ points }) => points);
    const x = scale(
        all.map(([value]) => value),
        LEFT,
        RIGHT,
    );
    const y = scale(
        all.map(([, value]) => value),
        BOTTOM,
        TOP,
    );
    const path = (points: Line["points"], style: string) =>
        `<polyline points="${points.map((point) => `${x.at(point[0])},${y.at(point[1])}`).join(" ")}" fill="none" ${style}/>`;
    const drawn = lines.flatMap(({ points }, index) => [
        path(points, `stroke="${COLOURS[index]}" stroke-width="2"`),
        ...points.map(
            (point) => `<circle cx="${x.at(point[0])}" cy="${y.at(point[1])}" r="3" fill="${COLOURS[index]}"/>`,
        ),
    ]);
    const [right, top] = lines[0].points[lines[0].points.length - 1];
    const left = Math.max(x.ticks[0], (right * y.ticks[0]) / top);
    const inProportion = path(
        [
            [left, (top * left) / right],
            [right, top],
        ],
        'stroke="#57606a" stroke-dasharray="4 4"',
    );
    return frame(title, WIDTH, BOTTOM + 28, [
        ...x.ticks.map((tick) => gridLine(x.at(tick), TOP, x.at(tick), BOTTOM)),
        ...x.ticks.map(
            (tick) => `<text x="${x.at(tick)}" y="${BOTTOM + 16}" text-anchor="middle">${tick} ${unit}</text>`,
        ),
        ...y.ticks.map((tick) => gridLine(LEFT, y.at(tick), RIGHT, y.at(tick))),
        ...y.ticks.map((tick) => `<text x="${LEFT - 8}" y="${y.at(tick) + 4}" text-anchor="end">${tick} s</text>`),
        inProportion,
        ...drawn,
        ...legend(lines, y.at),
    ]);
}

interface Scale {
    readonly ticks: readonly number[];
    at(value: number): number;
}

/** A logarithmic axis between two pixels, from the power of ten below the values to the one above. */
function scale(values: readonly number[], from: number, to: number): Scale {
    const low = Math.floor(Math.log10(Math.min(...values)));
    const high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1);
    const ticks = Array.from({ length: high - low + 1 }, (_, index) => Number((10 ** (low + index)).toPrecision(1)));
    return { ticks, at: (value) => Math.round(from + ((Math.log10(value) - low) / (high - low)) * (to - from)) };
}

function gridLine(x1: number, y1: number, x2: number, y2: number): string {
    return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#d0d7de"/>`;
}

/** The names beside the ends of their lines, one below the other. */
function legend(lines: readonly Line[], at: (value: number) => number): string[] {
    const last = ({ points }: Line) => points[points.length - 1][1];
    let free = 0;
    return lines
        .map((line, index) => ({ name: line.name, value: last(line), colour: COLOURS[index] }))
        .sort((a, b) => b.value - a.value)
        .map(({ colour, name, value }) => {
            const y = Math.max(at(value) + 4, free);
            free = y + 16;
            return `<text x="${RIGHT + 10}" y="${y}" fill="${colour}">${name}: ${value.toFixed(1)}</text>`;
        });
}

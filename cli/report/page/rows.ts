import { axisX, axisY, gridX } from "./plotNode";

/** Share of the picture's width that the shortest bar has. */
export const THINNEST = 1 / 700;

/** The frame of a picture with rows of this height in all. */
export function rowsFrame(height: number, marginLeft: number) {
    return { height: height + 60, marginLeft, marginTop: 8, marginBottom: 44 };
}

export function grid() {
    return gridX({ stroke: "var(--line)", strokeOpacity: 1 });
}

/** The times below the rows, and a name before each of these rows. */
export function rowAxes(rows: readonly number[], label: string | null, nameOf: (row: number) => string) {
    return [
        axisX({ labelAnchor: "center", labelArrow: "none" }),
        axisY(
            rows.map((row) => row + 0.5),
            {
                tickSize: 0,
                label,
                labelAnchor: "center",
                labelArrow: "none",
                // A line feed would begin another element.
                tickFormat: (at: number) => nameOf(Math.floor(at)).replaceAll(/\s+/g, " "),
            },
        ),
    ];
}

"""Draws the results of the jobs in SIMULATIONS, one column for each growth rate. Prints the picture as SVG."""

import os
import subprocess

LEFT, TOP, WIDTH, HEIGHT = 60, 30, 600, 400
LOW, HIGH = 2.5, 4.0


def lines_of(job: str) -> list[str]:
    """Return the lines that a job has printed. Flux keeps them."""
    result = subprocess.run(["flux", "job", "attach", job], stdout=subprocess.PIPE, check=True, text=True)
    return result.stdout.splitlines()


def x_of(rate: float) -> float:
    return LEFT + (rate - LOW) / (HIGH - LOW) * WIDTH


def y_of(size: float) -> float:
    return TOP + (1 - size) * HEIGHT


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{words}</text>'


columns = {}
for job in os.environ["SIMULATIONS"].split():
    for line in lines_of(job):
        rate, *sizes = line.split()
        columns[float(rate)] = [int(size) / 1000 for size in sizes]

points = "".join(f"M{x_of(rate):g} {y_of(size):g}h2" for rate, sizes in sorted(columns.items()) for size in sizes)
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 40}" height="{TOP + HEIGHT + 60}">')
print("<style>text { font: 14px sans-serif }</style>")
print('<rect width="100%" height="100%" fill="white"/>')
print(f'<path d="{points}" stroke="#1a4f8a"/>')
print(f'<path d="M{LEFT} {TOP}v{HEIGHT}h{WIDTH}" fill="none" stroke="black"/>')
for tick in (2.5, 3.0, 3.5, 4.0):
    print(text(x_of(tick), TOP + HEIGHT + 20, f"{tick:g}"))
for tick in (0.0, 0.5, 1.0):
    print(text(LEFT - 8, y_of(tick) + 5, f"{tick:g}", "end"))
print(text(LEFT + WIDTH / 2, TOP + HEIGHT + 45, "growth rate"))
print(text(LEFT + WIDTH / 2, TOP - 10, f"sizes of a population in the long run, for {len(columns)} growth rates"))
print("</svg>")

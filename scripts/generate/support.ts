import { THINGS, type Thing, type Tried } from "../tests/tried";

/** What nobody has tried although it is supported. */
const UNTRIED: Readonly<Record<Thing, readonly string[]>> = {
    Kubernetes: ["1.32 to 1.35", "1.37", "EKS, GKE, AKS, OpenShift and other services"],
    "flux-core": ["0.73 to 0.87"],
    "Pulumi CLI": ["the versions between"],
    "@pulumi/pulumi": ["the versions between"],
    "@pulumi/kubernetes": ["the versions between"],
    Node: ["on Windows and macOS"],
    language: ["JavaScript without TypeScript", ".NET", "Java"],
};

const RESULTS = /(<!-- tried -->\n)[\s\S]*?(<!-- end -->)/;

/** A document with the results between `<!-- tried -->` and `<!-- end -->`. */
export function withResults(document: string, tried: readonly Tried[]): string {
    return document.replace(RESULTS, (...[, begin, end]: string[]) => `${begin}\n${resultsOf(tried)}\n${end}`);
}

/** The tables of what was tried, and what wasn't. */
export function resultsOf(tried: readonly Tried[]): string {
    return THINGS.map((thing) => section(thing, tried)).join("\n");
}

function section(thing: Thing, tried: readonly Tried[]): string {
    const results = tried.filter((result) => result.thing === thing);
    const never = UNTRIED[thing].filter((minor) => !results.some(({ version }) => version.startsWith(`${minor}.`)));
    const rows = [...results.map(rowOf), ...never.map((version) => [version, "not tried", "", ""])];
    const lines = rows.map((cells) => `| ${cells.join(" | ")} |\n`);
    const title = thing === "language" ? "Languages" : thing;
    return `### ${title}\n\n| version | result | last run | tests |\n|---|---|---|---|\n${lines.join("")}`;
}

const rowOf = ({ by, date, simulated, version }: Tried): string[] => [
    version,
    simulated === undefined ? "tried" : `simulated: ${simulated}`,
    date,
    by,
];

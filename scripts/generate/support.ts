import { THINGS, type Thing, type Tried } from "../tests/tried";

/** What each thing is tried for, and what nobody has tried although it is supported. */
const ABOUT: Readonly<Record<Thing, { readonly supported: string; readonly untried: readonly string[] }>> = {
    Kubernetes: {
        supported: "1.31 and later",
        untried: ["1.32 to 1.35", "1.37", "EKS, GKE, AKS, OpenShift and other services"],
    },
    "flux-core": { supported: "0.72 and later", untried: ["0.73 to 0.87"] },
    "Pulumi CLI": { supported: "3.216 and later", untried: ["the versions between"] },
    "@pulumi/pulumi": { supported: "3.216 and later", untried: ["the versions between"] },
    "@pulumi/kubernetes": { supported: "4.25 and later", untried: ["the versions between"] },
    Node: { supported: "22.19 and later", untried: ["on Windows and macOS"] },
    language: {
        supported: "TypeScript, JavaScript, Python, Go, YAML, and others by the schema",
        untried: ["JavaScript without TypeScript", ".NET", "Java"],
    },
};

const REAL =
    "the real thing. The local Kubernetes of the tests is a real control plane and kubelet, built from Kubernetes' sources, " +
    "on one machine. Flux is the tests' stand-in except in the section flux-core, and Pulumi's language hosts are those of 3.65";

const HEAD = `# What was tried

The versions with which tests of this package have passed, and when. \`npm run generate\` makes this page from
\`test/faults/tried.json\`, to which test runs with \`UPDATE_DOCS=1\` add their results. The windows of support are in
\`.github/SUPPORT.md\` of the repository.

| word | meaning |
|---|---|
| tried | ${REAL} |
| simulated | something else took its place, which the note names |
| not tried | supported, but no test has run with it |
`;

/** The page of results. */
export function supportPage(tried: readonly Tried[]): string {
    return `${HEAD}\n${THINGS.map((thing) => section(thing, tried)).join("\n")}`;
}

function section(thing: Thing, tried: readonly Tried[]): string {
    const { supported, untried } = ABOUT[thing];
    const results = tried.filter((result) => result.thing === thing);
    const never = untried.filter((minor) => !results.some(({ version }) => version.startsWith(`${minor}.`)));
    const rows = [...results.map(rowOf), ...never.map((version) => [version, "not tried", "", ""])];
    const lines = rows.map((cells) => `| ${cells.join(" | ")} |\n`);
    const title = thing === "language" ? "Languages" : thing;
    return `## ${title}\n\nSupported: ${supported}.\n\n| version | result | last run | tests |\n|---|---|---|---|\n${lines.join("")}`;
}

const rowOf = ({ by, date, simulated, version }: Tried): string[] => [
    version,
    simulated === undefined ? "tried" : `simulated: ${simulated}`,
    date,
    by,
];

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { packagesOf } from "../../scripts/local/images/containerfile";

const ROOT = join(__dirname, "../..");
const IMAGES = globSync("examples/images/*/Containerfile", { cwd: ROOT }).sort();

interface Instruction {
    readonly name: string;
    readonly text: string;
}

/** The instructions of a Containerfile, each in one line. */
function instructionsOf(path: string): Instruction[] {
    const lines = readFileSync(join(ROOT, path), "utf8")
        .replaceAll(/^#.*\n/gm, "")
        .replaceAll(/\\\n\s*/g, "");
    return lines
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => ({ name: line.slice(0, line.indexOf(" ")), text: line.slice(line.indexOf(" ") + 1) }));
}

/** The rules that the linter of `npm run lint` doesn't have. */
const RULES: Readonly<Record<string, (instructions: readonly Instruction[]) => boolean>> = {
    "is an image of Flux 0.88 or a chosen one": ([version, from]) =>
        version?.text === "FLUX_TAG=bookworm-v0.88.0" && from?.text === "docker.io/fluxrm/flux-core:${FLUX_TAG}",
    "runs as the user of Flux' image": (instructions) =>
        instructions.filter(({ name }) => name === "USER").at(-1)?.text === "fluxuser",
    "has the labels of the Open Container Initiative": (instructions) => {
        const text = instructions.flatMap(({ name, text }) => (name === "LABEL" ? [text] : [])).join(" ");
        const labels = [...text.matchAll(/org\.opencontainers\.image\.([a-z.]+)="[^"]+"/g)].map(([, label]) => label);
        return labels.join() === "title,description,base.name";
    },
    "only adds packages": (instructions) =>
        instructions.every(
            ({ name, text }) =>
                ["ARG", "FROM", "LABEL", "USER"].includes(name) ||
                (name === "COPY" && /^\S*requirements\.txt \S+$/.test(text)) ||
                (name === "RUN" && /^(?:apt-get update && apt-get install|python3 -m pip install) --/.test(text)),
        ),
    "keeps no lists of packages and no downloads": (instructions) =>
        instructions.every(
            ({ text }) => !text.includes("apt-get") || text.endsWith("&& rm -rf /var/lib/apt/lists/*"),
        ) && instructions.every(({ text }) => !text.includes("pip install") || text.includes("--no-cache-dir")),
    "installs what pip downloads by version and hash": (instructions) =>
        instructions.every(({ text }) => !text.includes("pip install") || text.includes("--require-hashes")),
};

describe("the images of the examples", () => {
    it("are base, mpi and pytorch", () => {
        assert.deepEqual(
            IMAGES,
            ["base", "mpi", "pytorch"].map((image) => `examples/images/${image}/Containerfile`),
        );
    });

    for (const [rule, holds] of Object.entries(RULES)) {
        it(`follow the rule: each ${rule}`, () => {
            assert.deepEqual(
                IMAGES.filter((path) => !holds(instructionsOf(path))),
                [],
            );
        });
    }

    it("tell the packages that the tests' images get by debootstrap", () => {
        assert.deepEqual(packagesOf("pytorch"), ["python3-torch"]);
        assert.deepEqual(packagesOf("base"), ["python3-pip"]);
        assert.ok(packagesOf("mpi").includes("openmpi-bin"));
    });
});

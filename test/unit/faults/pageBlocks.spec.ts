import assert from "node:assert/strict";

import { blocksIn, withImage } from "../../e2e/support/pageBlocks";

const FENCE = "```";

/** A page with these blocks: the words of a fence, and the lines below it. */
const page = (...blocks: readonly (readonly [words: string, ...lines: string[]])[]) =>
    ["# sweep", ...blocks.flatMap(([words, ...lines]) => ["", `${FENCE}${words}`, ...lines, FENCE])].join("\n");

describe("blocks of a page", () => {
    it("are those of commands, with the numbers of their lines", () => {
        const text = page(["sh", "pulumi up", "", "  cat <<E", "E"], ["text", "55"], ["ts", "size: 2"], ["sh", "ls"]);
        assert.deepEqual(blocksIn(text, "README.md"), [
            { line: 3, commands: "pulumi up\n\n  cat <<E\nE\n" },
            { line: 18, commands: "ls\n" },
        ]);
    });

    it("lose the indent of their list", () => {
        const text = ["- First:", "", `  ${FENCE}sh`, "  for n in 1; do", "    ls", "  done", `  ${FENCE}`].join("\n");
        assert.deepEqual(blocksIn(text, "README.md"), [{ line: 3, commands: "for n in 1; do\n  ls\ndone\n" }]);
    });

    it("have the reason why a test doesn't run them", () => {
        const [block] = blocksIn(page(["sh not tested: it creates a cluster", "kind create cluster"]), "README.md");
        assert.deepEqual(block, { line: 3, commands: "kind create cluster\n", untested: "it creates a cluster" });
    });

    for (const words of ["", "bash", "console", "shell", "sh notest", "sh not tested:", "zsh"]) {
        it(`are refused with the words "${words}"`, () => {
            assert.throws(() => blocksIn(page(["json", "{}"], [words, "ls"]), "sweep/README.md"), {
                message:
                    `sweep/README.md:7: The fence has the words "${words}". Use \`sh\`, which the test runs, ` +
                    "`sh not tested: REASON`, or `text` for what isn't a command.",
            });
        });
    }

    it("get the image of the test in the line that sets it", () => {
        const text = page(["sh", "pulumi config set image example/flux:1   # yours", "pulumi config set size 2"]);
        const [block] = withImage(blocksIn(text, "README.md"), "test/flux:$&", "README.md");
        assert.equal(block?.commands, "pulumi config set image test/flux:$&   # yours\npulumi config set size 2\n");
    });

    for (const [count, ...lines] of [
        [0, "pulumi config set size 2"],
        [2, "pulumi config set image a", "pulumi config set image b"],
    ] as const) {
        it(`are refused if ${count} lines set the image`, () => {
            assert.throws(() => withImage(blocksIn(page(["sh", ...lines]), "README.md"), "c", "README.md"), {
                message:
                    `README.md: ${count} lines are \`pulumi config set image NAME\`. ` +
                    "A page sets its image in one line, in a block that is tested.",
            });
        });
    }
});

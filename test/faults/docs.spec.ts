import assert from "node:assert/strict";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { toolsDir } from "../../scripts/local/cluster/tools";
import type { Language } from "../../scripts/local/languages";
import { root } from "../../scripts/local/paths";
import { run } from "../../scripts/local/run";
import { useLanguage } from "../e2e/support/languages";
import { useNamespace } from "../e2e/support/namespace";
import { operations, type Program } from "../e2e/support/stack";
import { sharedCluster } from "../e2e/support/sharedCluster";
import { blocksOf, placeOf } from "../unit/docs/documents";

/** The files of a project beside the program of a page. */
const PROJECTS: Readonly<Record<"go" | "python", Readonly<Record<string, string>>>> = {
    go: {
        "Pulumi.yaml": "name: hello\nruntime: go\n",
        "go.mod": readFileSync(join(root, "examples/go/quickstart/go.mod"), "utf8"),
        "go.sum": readFileSync(join(root, "examples/go/quickstart/go.sum"), "utf8"),
    },
    python: { "Pulumi.yaml": "name: hello\nruntime: python\n", "requirements.txt": "" },
};

const MAIN: Readonly<Record<Language, string>> = { go: "main.go", python: "__main__.py", yaml: "Pulumi.yaml" };

/** The whole programs of the pages. The parts of programs are checked in test/unit/docs. */
const WHOLE: Readonly<Record<Language, RegExp>> = {
    go: /^package main$/m,
    python: /^import pulumi$/m,
    yaml: /^runtime: yaml$/m,
};

/** Checks the types of Python files with the Python and the packages of an environment. */
async function checkTypes(files: readonly string[], cwd: string, environment: NodeJS.ProcessEnv): Promise<void> {
    const env = { ...process.env, ...environment };
    const python = (await run("python3", ["-c", "import sys; print(sys.executable)"], { env })).trim();
    await run(process.execPath, [require.resolve("pyright"), "--pythonpath", python, ...files], { cwd, env });
}

for (const language of ["python", "yaml", "go"] as const) {
    describe(`program in ${language} in a document`, function () {
        this.timeout(1_200_000);
        const namespace = useNamespace();
        const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
        const blocks = blocksOf(language).filter(({ text }) => WHOLE[language].test(text));
        blocks.forEach(({ text }, index) => {
            const files = language === "yaml" ? {} : PROJECTS[language];
            mkdirSync(join(folder, `${index}`));
            // The plugin is that of the test.
            const program = text.replace(/^plugins:\n(?: .*\n)+/m, "");
            Object.entries({ ...files, [MAIN[language]]: program }).forEach(([name, content]) =>
                // All modules are in one workspace.
                writeFileSync(join(folder, `${index}`, name), content.replace(/^module .*/m, `module page${index}`)),
            );
        });
        const program = useLanguage(language, folder);
        after(() => rmSync(folder, { recursive: true, force: true }));

        blocks.forEach((block, index) => {
            it(`compiles and passes a preview: ${placeOf(block)}`, async () => {
                const project = program(`${index}`) as Extract<Program, { dir: string }>;
                if (language === "go") {
                    const env = { ...process.env, ...project.host?.environment };
                    await run("go", ["vet", "."], { cwd: project.dir, env });
                }
                const { events } = await namespace.stack(`${language}${index}`, project).preview();
                assert.ok(
                    Object.entries(operations(events)).some(
                        ([name, step]) => name.endsWith("-job") && step === "create",
                    ),
                );
            });
        });

        it("is there", () => assert.ok(blocks.length > 0));

        if (language === "python") {
            it("has the types of the SDK, and so have the examples and the template", async () => {
                const others = globSync(["examples/python/*/__main__.py", "templates/python/__main__.py"], {
                    cwd: root,
                });
                assert.ok(others.length > 5, `${others.length} programs`);
                const files = [
                    ...blocks.map((_, index) => join(folder, `${index}`, MAIN.python)),
                    ...others.map((name) => join(root, name)),
                ];
                const project = program("0") as Extract<Program, { dir: string }>;
                await checkTypes(files, folder, project.host?.environment ?? {});
            });
        }
    });
}

describe("objects of Kubernetes in a document", () => {
    const namespace = useNamespace();

    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
    after(() => rmSync(folder, { recursive: true, force: true }));

    const manifests = ["docs/rbac.yaml", "docs/rbac-user.yaml"].map((name) => ({
        place: name,
        text: readFileSync(join(root, name), "utf8"),
    }));
    const blocks = blocksOf("yaml").filter(({ text, words }) => words === "yaml" && /^kind: (?!MPIJob)/m.test(text));

    for (const { place, text } of [
        ...manifests,
        ...blocks.map((block) => ({ place: placeOf(block), text: block.text })),
    ]) {
        it(`are accepted by an API server, with all their fields: ${place}`, async () => {
            const { kubeconfig } = (await sharedCluster()).cluster;
            const file = join(folder, "objects.yaml");
            // NAME stands for the reader's cluster.
            writeFileSync(file, text.replaceAll(/\bNAME\b/g, "name"));
            const how = ["--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict"];
            const words = ["apply", ...how, "--namespace", namespace.name, "--filename", file];
            const printed = await run(join(toolsDir, "kubectl"), ["--kubeconfig", kubeconfig, ...words]);
            assert.match(printed, / serverside-applied \(server dry run\)/);
        });
    }
});

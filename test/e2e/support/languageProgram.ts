import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Language } from "../../../scripts/local/languages";
import { root } from "../../../scripts/local/paths";
import { keepTried } from "../../../scripts/tests/tried";
import { version } from "../../../plugin/schema";
import { runWorkflow, useLanguage } from "./languages";
import { importPublicImage } from "./image";
import { useNamespace } from "./namespace";
import { operations } from "./stack";
import { sharedCluster } from "./sharedCluster";

const NAMES: Readonly<Record<Language, string>> = { go: "Go", python: "Python", yaml: "YAML" };

/** The first steps of a program in another language. */
export function describeProgram(language: Language): void {
    describe(`program in ${language}`, () => {
        const namespace = useNamespace();
        let image: string;
        before(async () => (image = await importPublicImage((await sharedCluster()).cluster)));
        const example = useLanguage(language);

        it("creates a cluster, reads outputs of their types, and leaves nothing", async () => {
            const stack = namespace.stack("quickstart", example("quickstart"), { image });
            const preview = operations((await stack.preview()).events);
            assert.equal(preview["hello"], "create");
            assert.equal(preview["hello-job"], "create");

            const { endpoint, exitCode, nodes, output, timings } = (await stack.up()).outputs;
            assert.equal(endpoint, `tcp://hello-lead.${namespace.name}.svc.cluster.local:8050`);
            assert.equal(exitCode, 0);
            assert.deepEqual(output.trim().split("\n").sort(), ["hello-0", "hello-1", "hello-2", "hello-3"]);
            assert.deepEqual(Object.keys(nodes).sort(), ["0", "1", "2", "3"]);
            assert.equal(typeof timings.ended, "number");

            await stack.up(true);
            // Each provider is a process of the plugin.
            const providers = stack.resources().filter(({ type }) => type === "pulumi:providers:flux-minicluster");
            assert.deepEqual(
                providers.map(({ inputs }) => inputs?.version),
                [language === "yaml" ? undefined : version()],
            );
            await stack.destroy();
            await namespace.assertNothingLeft();
            keepTried({ thing: "language", version: NAMES[language], by: "a cluster with a command, and its outputs" });
        });

        // It needs a compiler in the image: test/e2e/mpi.spec.ts runs the program.
        if (language !== "go") {
            it("previews the MPI program with its source in a ConfigMap", async () => {
                const { events } = await namespace.stack("mpi", example("mpi"), { image }).preview();
                const source = events.find(({ resourcePreEvent }) =>
                    resourcePreEvent?.metadata.urn.endsWith("::source"),
                );
                assert.match(source?.resourcePreEvent?.metadata.new?.inputs.data["bench.c"], /MPI_Allreduce/);
                assert.equal(operations(events)["bench-job"], "create");
            });
        }

        // The results of a program in Go are in test/faults/languages.spec.ts.
        if (language !== "go") {
            it("runs the code of the example as its page prints it, and has the results in the program's folder", async () => {
                const program = example("code");
                const folder = join((program as { dir: string }).dir, "results");
                try {
                    mkdirSync(join(folder, "code"), { recursive: true });
                    writeFileSync(join(folder, "code/older"), "");
                    const stack = namespace.stack("code", program, { image });
                    const { output } = (await stack.up()).outputs;
                    const page = readFileSync(join(root, "examples/code/README.md"), "utf8");
                    const lines = page.match(/^code-0: .*\ncode-1: .*$/m)?.[0].split("\n") ?? [];
                    assert.deepEqual(output.trim().split("\n").sort(), lines);
                    assertFiles(folder, { "code/out/0.txt": `${lines[0]}\n` });
                    const { results } =
                        stack.resources().find(({ type }) => type.endsWith(":JobStatus"))?.outputs ?? {};
                    assert.deepEqual([results?.at, results?.count, results?.complete], ["results/code", 1, true]);
                    await stack.up(true);
                    await stack.destroy();
                    await namespace.assertNothingLeft();
                    assertFiles(folder, { "code/out/0.txt": `${lines[0]}\n` });
                } finally {
                    rmSync(folder, { recursive: true, force: true });
                }
            });
        }

        // The other languages' run in test/faults/languages.spec.ts.
        if (language === "python") {
            it("runs a job after the job whose output it needs", () => runWorkflow(namespace, example));
        }
    });
}

/** Requires that a folder has these files and no others, which all users may read. */
export function assertFiles(folder: string, files: Readonly<Record<string, string>>): void {
    const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const found = entries.filter((path) => statSync(join(folder, path)).isFile());
    const texts = found.map((path) => [path, readFileSync(join(folder, path), "utf8")]);
    assert.deepEqual(Object.fromEntries(texts), files);
    const modes = entries.map((path) => statSync(join(folder, path)).mode & 0o044);
    assert.ok(
        modes.every((mode) => mode === 0o044),
        entries.join(),
    );
}

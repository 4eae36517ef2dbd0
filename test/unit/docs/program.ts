import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";

import * as pulumi from "@pulumi/pulumi";
import ts from "typescript";

import * as components from "../../../components";
import { fencedIn } from "../../e2e/support/pageBlocks";
import { mockPulumi, type Registered, settled } from "../support/pulumi";
import { type DocumentBlock, ROOT } from "./documents";

/** A block without a statement is a part of the arguments of a MiniCluster. */
const STATEMENT = /^(?:import|const|new|export)\b/m;

/** Names that a block may use without declaring them, from the module given.ts. */
const GIVEN = ["cluster", "config", "image", "others"];

/** The configuration of the programs. */
const CONFIG = {
    "docs:key": "key",
    "docs:secret": "secret",
    "docs:kubeconfig": "kubeconfig",
    "project:image": "flux",
    "docs:image": "flux",
    "docs:claim": "queue",
};

/** Modules that a block may use without importing them. */
const MODULES = { pulumi: "@pulumi/pulumi", kubernetes: "@pulumi/kubernetes", minicluster: "flux-minicluster" };

/** Files that programs read, which aren't in the document. */
const FILES: Readonly<Record<string, string>> = {
    "minicluster.yaml":
        "{ apiVersion: flux-framework.org/v1alpha2, kind: MiniCluster, metadata: { name: lammps }, spec: { size: 4, containers: [{ image: 'flux:1', command: hostname }] } }",
};

/** A block of TypeScript as a whole program. */
export function programOf({ text }: DocumentBlock): string {
    const body = STATEMENT.test(text) ? text : `new minicluster.MiniCluster("part", { ...others, ...{\n${text}\n} });`;
    const declares = (name: string) => new RegExp(`(?:const|import) [^=;]*\\b${name}\\b`).test(body);
    const names = (all: readonly string[]) => all.filter((name) => !declares(name)).join(", ");
    return [
        ...Object.entries(MODULES).flatMap(([name, module]) =>
            declares(name) ? [] : [`import * as ${name} from "${module}";`],
        ),
        `import { ${names(["FluxJob", "MiniCluster"])} } from "flux-minicluster";`,
        `import { ${names(GIVEN)} } from "../docs/given";`,
        body,
    ].join("\n");
}

/** Runs a program as a preview does, without an engine. Returns what it registers. */
export async function preview(block: DocumentBlock): Promise<Registered[]> {
    const registered = await mockPulumi({}, { preview: true });
    Object.entries(CONFIG).forEach(([key, value]) => pulumi.runtime.setConfig(key, value));
    const { outputText } = ts.transpileModule(programOf(block), {
        compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
    });
    const program = compileFunction(outputText, ["require", "exports"]);
    program(requireFor(block), {});
    await settled();
    return registered;
}

function requireFor({ document }: DocumentBlock): (name: string) => unknown {
    const load = createRequire(__filename);
    const manifests = fencedIn(document.text).filter(({ words }) => words.startsWith("yaml"));
    const files: Readonly<Record<string, string>> = { ...FILES, "mpijob.yaml": manifests[0]?.text ?? "" };
    const modules: Readonly<Record<string, () => unknown>> = {
        "flux-minicluster": () => components,
        "node:fs": () => ({ readFileSync: (name: string) => files[name] ?? readFileSync(join(ROOT, name), "utf8") }),
        "../docs/given": () => {
            // Its cluster belongs to one run.
            delete load.cache[load.resolve("./given")];
            return load("./given");
        },
    };
    return (name) => (modules[name] ?? (() => load(name)))();
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { MiniClusterArgs } from "../components/args";
import { type Language, languageEnvironment, LANGUAGES } from "../local/languages";
import { plugin } from "../local/paths";
import { plainObjects } from "./plainObjects";
import type { Series } from "./table";
import { changeNothing, type Deeds } from "./updates";
import { type Project, PROJECTS, withStack } from "./workspace";

const TYPES: Readonly<Record<string, string>> = {
    configMap: "kubernetes:core/v1:ConfigMap",
    headless: "kubernetes:core/v1:Service",
    job: "kubernetes:batch/v1:Job",
    lead: "kubernetes:core/v1:Service",
    secret: "kubernetes:core/v1:Secret",
};

/** Measures commands without changes on a MiniCluster and on its objects, by programs in other languages, in pairs. */
export async function measureLanguages(namespace: string, args: MiniClusterArgs, runs: number): Promise<Series[][]> {
    const series: Series[][] = [];
    for (const language of LANGUAGES) {
        const draft = mkdtempSync(join(tmpdir(), "flux-minicluster-bench-"));
        try {
            const folder = join(PROJECTS, language);
            const environment = await languageEnvironment(language, folder, draft);
            series.push(await measureLanguage(language, environment, { namespace, args, runs }));
        } finally {
            rmSync(draft, { recursive: true, force: true });
        }
    }
    return series;
}

interface Plan {
    readonly namespace: string;
    readonly args: MiniClusterArgs;
    readonly runs: number;
}

async function measureLanguage(
    language: Language,
    environment: Project["environment"],
    { args, namespace, runs }: Plan,
): Promise<Series[]> {
    const [plain, own]: Deeds[][] = [[], []];
    const objects = plainObjects(`plain-${language}`, namespace, args as never);
    const cluster = { name: `cluster-${language}`, args: { ...args, namespace } };
    const plainProject = { settings: plainProgram(language, objects), config: { objects }, environment };
    const ownProject = { settings: clusterProgram(language, cluster), config: cluster, environment };
    await withStack(`plain-${language}`, plainProject, async (plainStack) => {
        await plainStack.up();
        await withStack(`cluster-${language}`, ownProject, async (ownStack) => {
            await ownStack.up();
            for (let run = 1; run <= runs; run++) {
                for (const [stack, all] of [
                    [plainStack, plain],
                    [ownStack, own],
                ] as const) {
                    const deeds: Deeds = {};
                    await changeNothing(stack, deeds);
                    all.push(deeds);
                }
                console.error(`run ${run} of ${runs}: ${language}`);
            }
        });
    });
    return [
        { name: `${language}, plain objects`, runs: plain },
        { name: `${language}, MiniCluster`, runs: own },
    ];
}

/** YAML has no loops, so the program itself contains the objects. */
function plainProgram(language: Language, objects: Readonly<Record<string, object>>): object {
    const resources = Object.entries(objects).map(([name, properties]) => [name, { type: TYPES[name], properties }]);
    return language === "yaml"
        ? { runtime: "yaml", resources: Object.fromEntries(resources) }
        : { runtime: language, main: join(PROJECTS, language, "plain") };
}

function clusterProgram(language: Language, { args, name }: { readonly args: object; readonly name: string }): object {
    const plugins = { providers: [plugin] };
    return language === "yaml"
        ? {
              runtime: "yaml",
              plugins,
              resources: { [name]: { type: "flux-minicluster:MiniCluster", properties: args } },
          }
        : { runtime: language, plugins, main: join(PROJECTS, language, "miniCluster") };
}

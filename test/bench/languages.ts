import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { MiniClusterArgs } from "../../components/args";
import { type Language, languageEnvironment, LANGUAGES } from "../../scripts/local/languages";
import { unpackedPlugin } from "../../scripts/local/pluginArchive";
import { plainObjects } from "./plainObjects";
import type { Series } from "./table";
import { changeNothing, type Deeds } from "./updates";
import { type Project, PROJECTS, withStack } from "./workspace";

interface Kind {
    readonly apiVersion: string;
    readonly kind: string;
}

const KINDS: Readonly<Record<string, Kind>> = {
    configMap: { apiVersion: "v1", kind: "ConfigMap" },
    headless: { apiVersion: "v1", kind: "Service" },
    job: { apiVersion: "batch/v1", kind: "Job" },
    lead: { apiVersion: "v1", kind: "Service" },
    secret: { apiVersion: "v1", kind: "Secret" },
};

/** Measures commands without changes on a MiniCluster and on its objects, by programs in other languages, in pairs. */
export async function measureLanguages(namespace: string, args: MiniClusterArgs, runs: number): Promise<Series[][]> {
    const series: Series[][] = [];
    for (const language of LANGUAGES) {
        const draft = mkdtempSync(join(tmpdir(), "flux-minicluster-bench-"));
        try {
            const folder = join(PROJECTS, language);
            const environment = await languageEnvironment(language, folder, draft);
            const plugin = await unpackedPlugin(draft);
            series.push(await measureLanguage(language, environment, { namespace, args, runs, plugin }));
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
    readonly plugin: object;
}

async function measureLanguage(
    language: Language,
    environment: Project["environment"],
    { args, namespace, plugin, runs }: Plan,
): Promise<Series[]> {
    const [plain, own]: Deeds[][] = [[], []];
    const objects = withKinds(plainObjects(`plain-${language}`, namespace, args as never));
    const cluster = { name: `cluster-${language}`, args: { ...args, namespace } };
    const plainProject = { settings: plainProgram(language, objects), config: { objects }, environment };
    const ownProject = { settings: clusterProgram(language, cluster, plugin), config: cluster, environment };
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

/** The programs in Go and YAML use no SDK of Kubernetes, which would add the kinds. */
function withKinds(objects: Readonly<Record<string, object>>): Readonly<Record<string, object & Kind>> {
    return Object.fromEntries(Object.entries(objects).map(([name, object]) => [name, { ...KINDS[name], ...object }]));
}

/** YAML has no loops, so the program itself contains the objects. Their scripts contain `${`, an expression of YAML. */
function plainProgram(language: Language, objects: Readonly<Record<string, object & Kind>>): object {
    const literal = JSON.parse(JSON.stringify(objects).replaceAll("${", "$$${")) as typeof objects;
    const resources = Object.entries(literal).map(([name, { apiVersion, kind, ...rest }]) => [
        name,
        { type: token({ apiVersion, kind }), properties: { apiVersion, kind, ...rest } },
    ]);
    return language === "yaml"
        ? { runtime: "yaml", resources: Object.fromEntries(resources) }
        : { runtime: language, main: join(PROJECTS, language, "plain") };
}

function token({ apiVersion, kind }: Kind): string {
    return `kubernetes:${apiVersion === "v1" ? "core/v1" : apiVersion}:${kind}`;
}

interface Cluster {
    readonly args: object;
    readonly name: string;
}

function clusterProgram(language: Language, { args, name }: Cluster, plugin: object): object {
    const plugins = { providers: [plugin] };
    return language === "yaml"
        ? {
              runtime: "yaml",
              plugins,
              resources: { [name]: { type: "flux-minicluster:MiniCluster", properties: args } },
          }
        : { runtime: language, plugins, main: join(PROJECTS, language, "miniCluster") };
}

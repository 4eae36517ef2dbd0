import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { parseAllDocuments } from "yaml";

import { FluxJob, fromMPIJob, MiniCluster } from "../../../components";
import { mockPulumi, settled } from "../support/pulumi";
import { blocksOf, type DocumentBlock, placeOf, ROOT } from "./documents";

const schema = JSON.parse(readFileSync(join(ROOT, "plugin/schema.json"), "utf8"));

/** The marks of each kind of YAML that the documents have, in the order in which they are looked for. */
const KINDS = {
    program: (value: any) => value?.resources !== undefined,
    plugins: (value: any) => value?.plugins !== undefined,
    mpiJob: (value: any) => value?.spec?.mpiReplicaSpecs !== undefined,
    /** test/faults/docs.spec.ts gives it to an API server. */
    object: (value: any) => value?.apiVersion !== undefined && value?.kind !== undefined,
    /** What `minicluster render` reads. */
    cluster: (value: any) => value?.name !== undefined && value?.image !== undefined,
} as const;

type Kind = keyof typeof KINDS;

/** The fence says why a block is of no kind, as in `yaml not checked: labels of a pod`. */
const UNCHECKED = /^yaml not checked: \S/;

const COMPONENTS: Readonly<Record<string, (name: string, args: any) => unknown>> = {
    FluxJob: (name, args) => new FluxJob(name, args),
    MiniCluster: (name, args) => new MiniCluster(name, args),
};

const blocks = blocksOf("yaml");

function valuesOf({ text }: DocumentBlock): any[] {
    return parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((each) => {
        assert.deepEqual([...each.errors, ...each.warnings], []);
        return each.toJS();
    });
}

const kindOf = (value: unknown) => (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind](value));

const ofKind = (kind: Kind) =>
    blocks.flatMap((block) => valuesOf(block).flatMap((value) => (kindOf(value) === kind ? [{ block, value }] : [])));

async function previewOf(resources: Record<string, { type: string; properties: object }>): Promise<void> {
    await mockPulumi({}, { preview: true });
    for (const [name, { properties, type }] of Object.entries(resources)) {
        const [, className = ""] = /^flux-minicluster:(?:index:)?(\w+)$/.exec(type) ?? [];
        COMPONENTS[className]?.(name, properties);
    }
    await settled();
}

describe("YAML in a document", () => {
    for (const { block, value } of [...ofKind("plugins"), ...ofKind("program")].filter((each) => each.value.plugins)) {
        it(`names a plugin where the package has it: ${placeOf(block)}`, () => {
            const [provider] = value.plugins.providers;
            assert.equal(provider.name, "flux-minicluster");
            assert.ok(
                existsSync(join(ROOT, provider.path.replace("node_modules/flux-minicluster/", ""))),
                provider.path,
            );
        });
    }

    it("is of a kind that a test checks, or the fence says why not", () => {
        assert.ok(blocks.length >= 6, `only ${blocks.length} blocks`);
        const unknown = blocks.filter((block) => valuesOf(block).some((value) => kindOf(value) === undefined));
        const unmarked = unknown.filter(({ words }) => !UNCHECKED.test(words));
        assert.deepEqual(unmarked.map(placeOf), []);
    });

    for (const { block, value } of ofKind("program")) {
        it(`is a program with types, arguments and outputs of the schema: ${placeOf(block)}`, async () => {
            const types = Object.values<any>(value.resources).map(({ type }) => type);
            const tokens = types.map((type: string) =>
                type.replace(/^flux-minicluster:(\w+)$/, "flux-minicluster:index:$1"),
            );
            const ours = tokens.filter((token: string) => token.startsWith("flux-minicluster:"));
            assert.ok(ours.length > 0);
            assert.deepEqual(
                ours.filter((token: string) => !(token in schema.resources)),
                [],
            );
            await previewOf(value.resources);
            for (const [, name, output] of JSON.stringify(value.outputs).matchAll(/\$\{([\w-]+)\.(\w+)\}/g)) {
                const token = tokens[Object.keys(value.resources).indexOf(name)];
                assert.ok(output in schema.resources[token].properties, `${name}.${output}`);
            }
        });
    }

    for (const { block, value } of ofKind("cluster")) {
        it(`has the arguments of a MiniCluster: ${placeOf(block)}`, async () => {
            const { name, ...properties } = value;
            await previewOf({ [name]: { type: "flux-minicluster:MiniCluster", properties } });
        });
    }

    for (const { block } of ofKind("mpiJob")) {
        it(`is an MPIJob that the package converts: ${placeOf(block)}`, () => {
            assert.ok(fromMPIJob(block.text).args.image);
        });
    }
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { readMiniCluster } from "../../../../convert/operator/resource";
import { SPEC } from "../../../../convert/operator/schema";
import type { Type } from "../../../../convert/types";

/**
 * Fields of the operator's CustomResourceDefinition: `path type`. `[]` is an item of a list, `*` a key of a map.
 * They are those of v1alpha2 in the operator's main branch of 2026-06, with the fields of 0.2.0 and 0.2.1.
 */
const FIELDS = readFileSync(join(__dirname, "fields.txt"), "utf8").trim().split("\n");

/** Values without a meaning for the other fields of a resource. Most fields have another value than their default. */
const VALUES: Readonly<Record<string, unknown>> = { flag: true, number: 3, quantity: "2", text: "given" };

/** Values of fields that take only some texts. */
const SPECIAL: readonly (readonly [pattern: RegExp, value: unknown])[] = [
    [/\.connectTimeout$/, "2s"],
    [/\.emptyDirMedium$/, "memory"],
    [/\.imagePullPolicy$/, "Always"],
    [/\.(path|mountPath|workingDir)$/, "/given"],
];

/** Fields beside which a field has its meaning. */
const BESIDE: readonly (readonly [pattern: RegExp, spec: (found: Found) => object])[] = [
    [/^spec\.(maxSize|minSize)$/, () => ({ size: 3 })],
    [/\.optionFlags$/, ({ runner }) => runner({ command: "a" })],
    [/^spec\.tasks$/, ({ runner }) => runner({ command: "a" })],
    [/\.launcher$/, ({ runner }) => runner({ command: "a" })],
    [/\.batch$/, ({ runner }) => runner({ command: "a" })],
    [/\.batchRaw$/, ({ runner }) => runner({ command: "a", batch: true })],
    [/\.logs$/, ({ runner }) => runner({ command: "a", batch: true })],
    [/containers.*volumes\.\*\.(path|readOnly)$/, ({ volume }) => volume({ claimName: "x" })],
    [/containers.*volumes\.\*\.items/, ({ volume }) => volume({ configMapName: "x" })],
    [/containers.*volumes\.\*\.csiDriverAttributes/, ({ volume }) => volume({ csiDriver: "x" })],
    [/containers.*volumes\.\*\.emptyDir(Medium|SizeLimit)/, ({ volume }) => volume({ emptyDir: true })],
    [/^spec\.interactive$/, ({ runner }) => runner({ command: "a" })],
];

/** Fields without an effect on the result, each with its reason. */
const NEEDLESS: readonly (readonly [pattern: RegExp, reason: string])[] = [
    [/^spec\.containers\[\]\.runFlux$/, "the only container runs Flux in any case"],
    [/^spec\.services\[\]\.runFlux$/, "the operator ignores it"],
    [/^spec\.services\[\]\.noWrapEntrypoint$/, "a service is never wrapped"],
    [/^spec\.flux\.arch$/, "the operator doesn't read it"],
    [/^spec\.flux\.minimalService$/, "the lead always has a Service"],
    [/^spec\.flux\.noWaitSocket$/, "sidecars don't wait for a socket"],
    [/^spec\.flux\.scheduler\.simple$/, "it is Flux' default, and the operator loads no other scheduler"],
    [/^spec\.flux\.container\.name$/, "it is the name of an init container"],
    [/^spec\.logging\.strict$/, "it changes hooks only; hooks.spec.ts tests it"],
];

interface Found {
    readonly runner: (fields: object) => object;
    readonly volume: (fields: object) => object;
}

/** A resource whose field has a value, and the same resource without the field. */
function withAndWithout(path: string, type: string): [string, string] {
    const value = SPECIAL.find(([pattern]) => pattern.test(path))?.[1] ?? VALUES[type];
    const runner = { image: "a:1", ...(path.startsWith("spec.services") ? { command: "a" } : {}) };
    const withRunner = (fields: object) => ({ containers: [{ ...runner, ...fields }] });
    const found: Found = {
        runner: withRunner,
        volume: (fields) => withRunner({ volumes: { some: fields } }),
    };
    const beside = BESIDE.find(([pattern]) => pattern.test(path))?.[1](found) ?? {};
    const base = (): Record<string, any> => ({
        size: 2,
        flux: { container: {} },
        containers: [{ ...runner }],
        services: path.startsWith("spec.services") ? [{ name: "db", image: "b:1", ports: [1] }] : undefined,
        ...JSON.parse(JSON.stringify(beside)),
    });
    const changed = base();
    put(changed, path.split(".").slice(1), value);
    const text = (spec: object) =>
        JSON.stringify({
            apiVersion: "flux-framework.org/v1alpha2",
            kind: "MiniCluster",
            metadata: { name: "a" },
            spec,
        });
    return [text(base()), text(changed)];
}

function put(target: Record<string, any>, [name, ...rest]: string[], value: unknown): void {
    const isList = name.endsWith("[]");
    const key = name === "*" ? "some" : name.replace("[]", "");
    if (rest.length === 0) {
        target[key] = isList ? [value] : value;
        return;
    }
    target[key] ??= isList ? [{}] : {};
    put(isList ? target[key][0] : target[key], rest, value);
}

describe("fields of the operator's schema", () => {
    it("are those of the CustomResourceDefinition", () => assert.deepEqual(paths(SPEC, "spec").sort(), FIELDS));

    for (const field of FIELDS) {
        const [path, type] = field.split(" ");
        const needless = NEEDLESS.find(([pattern]) => pattern.test(path));
        const what = needless === undefined ? "is converted, or has a warning" : `needs neither: ${needless[1]}`;
        it(`${path}: ${what}`, () => {
            const [without, given] = withAndWithout(path, type).map((text) => plain(readMiniCluster(text)));
            const isSame = JSON.stringify(without) === JSON.stringify(given);
            assert.equal(isSame, needless !== undefined, JSON.stringify(given, undefined, 2));
            assert.ok(!given.warnings.some((warning) => /no field of/.test(warning)), given.warnings.join("\n"));
        });
    }

    it("get a warning with the line, the nearest name and the cure if the schema doesn't have them", () => {
        const yaml = [
            "apiVersion: flux-framework.org/v1alpha2",
            "kind: MiniCluster",
            "metadata: {name: a}",
            "sepc: 1",
            "spec:",
            "  sise: 2",
            "  flux: {container: {disable: true, imagePulPolicy: Always}}",
            "  containers:",
            "    - image: a",
            "      comand: hostname",
            "      volumes:",
            "        data: {claimname: x, path: /data, hostPath: /x}",
            "      zebra: 1",
        ];
        const none = "is no field of the operator's v1alpha2, so it is ignored;";
        assert.deepEqual(readMiniCluster(yaml.join("\n")).warnings, [
            "sepc (line 4): is no field of a MiniCluster, so it is ignored. Remove it.",
            `spec.sise (line 6): ${none} write size, if that is meant, or remove it.`,
            `spec.flux.container.imagePulPolicy (line 7): ${none} remove it.`,
            `spec.containers[0].comand (line 10): ${none} write command, if that is meant, or remove it.`,
            `spec.containers[0].volumes.data.claimname (line 12): ${none} write claimName, if that is meant, or remove it.`,
            `spec.containers[0].zebra (line 13): ${none} remove it.`,
        ]);
    });
});

/** All paths of a type, with the types of their ends. */
function paths(type: Type, path: string): string[] {
    if (typeof type === "string") {
        return [`${path} ${type}`];
    }
    if ("list" in type) {
        return paths(type.list, `${path}[]`);
    }
    return "map" in type
        ? paths(type.map, `${path}.*`)
        : Object.entries(type.fields).flatMap(([name, inner]) => paths(inner, `${path}.${name}`));
}

function plain(value: ReturnType<typeof readMiniCluster>): ReturnType<typeof readMiniCluster> {
    return JSON.parse(JSON.stringify(value)) as ReturnType<typeof readMiniCluster>;
}

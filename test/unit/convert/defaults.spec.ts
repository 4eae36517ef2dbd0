import assert from "node:assert/strict";

import { decideCluster } from "../../../components/arguments/decide";
import { fromMPIJob, fromOperator } from "../../../convert";
import type { ConvertedResource } from "../../../convert";
import { MPI_DEFAULTS, OPERATOR_DEFAULTS, type Row } from "./defaults";

/** A resource with the parts of the row, and with the value at the path if one is given. */
function resourceOf(base: object, { beside = {}, path }: Row, value?: unknown): string {
    const resource = merged(structuredClone(base), beside) as Record<string, any>;
    if (value !== undefined) {
        const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
        const last = steps.pop()!;
        const target = steps.reduce((inner, step) => (inner[step] ??= {}), resource);
        target[last] = value;
    }
    return JSON.stringify(resource);
}

function merged(one: any, other: any): unknown {
    if (Array.isArray(one)) {
        return one.map((item, index) => (index in other ? merged(item, other[index]) : item));
    }
    if (typeof one !== "object" || typeof other !== "object") {
        return other;
    }
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    const value = (name: string) =>
        !(name in other) ? one[name] : name in one ? merged(one[name], other[name]) : other[name];
    return Object.fromEntries(names.map((name) => [name, value(name)]));
}

const OPERATOR = {
    apiVersion: "flux-framework.org/v1alpha2",
    kind: "MiniCluster",
    metadata: { name: "sample" },
    spec: { containers: [{ image: "a:1", command: "hostname" }], flux: { container: { image: "b:1" } } },
};

const pod = (container: object) => ({
    template: { spec: { containers: [{ name: "a", image: "a:1", ...container }] } },
});

const MPI = {
    apiVersion: "kubeflow.org/v2beta1",
    kind: "MPIJob",
    metadata: { name: "wave" },
    spec: {
        mpiReplicaSpecs: { Launcher: pod({ command: ["mpirun", "./wave"] }), Worker: { replicas: 2, ...pod({}) } },
    },
};

/** The whole cluster that the arguments describe, and the warnings without the lines. */
function described({ args, name, warnings }: ConvertedResource): object {
    return {
        cluster: JSON.parse(JSON.stringify(decideCluster(name, args as never).spec)),
        warnings: warnings.map((warning) => warning.replaceAll(/ \(line \d+\)/g, "")),
    };
}

function check(row: Row, base: object, convert: (yaml: string) => ConvertedResource): void {
    const absent = convert(resourceOf(base, row));
    assert.deepEqual(
        described(absent),
        described(convert(resourceOf(base, row, row.value))),
        "absent and given differ",
    );
    const args = JSON.parse(JSON.stringify(absent.args)) as Record<string, any>;
    const found = row.argument?.split(".").reduce((value, name) => value?.[name], args);
    assert.deepEqual(found, row.becomes);
    const isWarned = absent.warnings.some(
        (warning) => warning.startsWith(`${row.path} `) || row.warning?.test(warning),
    );
    assert.equal(isWarned, row.kind === "warned", absent.warnings.join("\n"));
    assert.equal(row.kind === "converted", row.becomes !== undefined && row.kind !== "warned");
}

describe("defaults of other operators", () => {
    describe("fromOperator", () => {
        for (const row of OPERATOR_DEFAULTS) {
            it(`reads ${row.path} without a value as ${JSON.stringify(row.value)}: ${row.kind}, ${row.why}`, () => {
                check(row, OPERATOR, fromOperator);
            });
        }
    });

    describe("fromMPIJob", () => {
        for (const row of MPI_DEFAULTS) {
            it(`reads ${row.path} without a value as ${JSON.stringify(row.value)}: ${row.kind}, ${row.why}`, () => {
                check(row, MPI, (yaml) => fromMPIJob(yaml, { fluxInImage: true }));
            });
        }
    });
});

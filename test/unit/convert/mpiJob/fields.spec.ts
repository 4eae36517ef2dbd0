import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { fromMPIJob } from "../../../../convert";
import { SPEC } from "../../../../convert/mpiJob/schema";
import type { Type } from "../../../../convert/types";

const LISTS =
    /\.(envFrom|ephemeralContainers|hostAliases|ports|readinessGates|resizePolicy|resourceClaims|restartPolicyRules|schedulingGates|tolerations|topologySpreadConstraints|volumeDevices|volumes)$/;

/** Values of fields whose meaning depends on the value. */
const SPECIAL: readonly (readonly [pattern: RegExp, value: unknown])[] = [
    [/\.(volumes)$/, [{ name: "other", emptyDir: {} }]],
    [/\.ports$/, [{ containerPort: 9000 }]],
    [/\.ephemeralContainers$/, [{ name: "a" }]],
    [/\.cleanPodPolicy$/, "All"],
    [/\.image$/, "other:1"],
    [/\.mpiImplementation$/, "Intel"],
    [/volumeMounts\[\]\.(mountPath|subPath)$/, "/given"],
    [LISTS, [{ name: "given" }]],
];

const POD = "spec\\.mpiReplicaSpecs\\.(Launcher|Worker)\\.template\\.spec\\.";
const LAUNCHER = "spec\\.mpiReplicaSpecs\\.Launcher\\.template\\.spec\\.";

/** Fields without an effect on the result, each with its reason. */
const NEEDLESS: readonly (readonly [pattern: string, reason: string])[] = [
    ["spec\\.sshAuthMountPath", "Flux starts the tasks without ssh"],
    ["spec\\.launcherCreationPolicy", "the command starts when the ranks have joined"],
    ["spec\\.mpiReplicaSpecs\\.Launcher\\.restartPolicy", "the pod fails, and backoffLimit decides"],
    ["spec\\.mpiReplicaSpecs\\.(Launcher|Worker)\\.template\\.metadata\\.creationTimestamp", "the API server sets it"],
    ["spec\\.mpiReplicaSpecs\\.Launcher\\.template\\.metadata\\.(name|namespace)", "the operator ignores it"],
    [`${LAUNCHER}(hostname|restartPolicy|subdomain)`, "the operator sets it, and there is no such pod"],
    [`${LAUNCHER}volumes`, "nothing mounts the volume"],
    [`${POD}containers\\[\\]\\.name`, "the container of a rank is called flux"],
    [
        `${LAUNCHER}containers\\[\\]\\.(imagePullPolicy|livenessProbe|ports|readinessProbe|resizePolicy|startupProbe)`,
        "there is no such pod",
    ],
    [`${LAUNCHER}containers\\[\\]\\.resources\\..*`, "there is no such pod"],
    [`${LAUNCHER}containers\\[\\]\\.(terminationMessagePath|terminationMessagePolicy)`, "there is no such pod"],
    [`${LAUNCHER}containers\\[\\]\\.securityContext`, "only its user matters"],
    [`${LAUNCHER}securityContext`, "only its user matters"],
];

/** All paths of a type, with the types of their ends. */
function paths(type: Type, path: string): [path: string, type: string][] {
    if (typeof type === "string") {
        return [[path, type]];
    }
    if ("list" in type) {
        return paths(type.list, `${path}[]`);
    }
    return "map" in type
        ? paths(type.map, `${path}.*`)
        : Object.entries(type.fields).flatMap(([name, inner]) => paths(inner, `${path}.${name}`));
}

const VALUES: Readonly<Record<string, unknown>> = {
    any: { given: "a" },
    flag: true,
    number: 3,
    quantity: "2",
    text: "given",
};

function mpiJob(): Record<string, any> {
    const container = (command: object) => ({ name: "a", image: "a:1", ...command });
    return {
        mpiImplementation: "MPICH",
        mpiReplicaSpecs: {
            Launcher: { template: { spec: { containers: [container({ command: ["mpirun", "a"] })] } } },
            Worker: { replicas: 2, template: { spec: { containers: [container({})] } } },
        },
    };
}

/** Sets a field. The first item of a list that exists gets the field. */
function put(target: Record<string, any>, [name, ...rest]: string[], value: unknown): void {
    const isList = name.endsWith("[]");
    const key = name === "*" ? "some" : name.replace("[]", "");
    if (rest.length === 0) {
        target[key] = isList ? [...(target[key] ?? []), value] : value;
        return;
    }
    target[key] ??= isList ? [{}] : {};
    put(isList ? target[key][0] : target[key], rest, value);
}

function read(spec: Record<string, any>): unknown {
    const yaml = { apiVersion: "kubeflow.org/v2beta1", kind: "MPIJob", metadata: { name: "a" }, spec };
    return JSON.parse(JSON.stringify(fromMPIJob(JSON.stringify(yaml), { fluxInImage: true })));
}

/** Gives the items of lists what they need besides the field. */
function complete(spec: Record<string, any>, path: string): void {
    const [, type, list] = /mpiReplicaSpecs\.(\w+)\.template\.spec\.(\w+)\[\]/.exec(path) ?? [];
    const pod = type && spec["mpiReplicaSpecs"][type].template.spec;
    if (list === "initContainers") {
        pod.initContainers[0] = { name: "init", image: "b:1", ...pod.initContainers[0] };
    }
    const [container] = pod?.[list] ?? [];
    if (path.includes(".volumeMounts[]")) {
        container.volumeMounts = [{ mountPath: "/given", ...container.volumeMounts[0], name: "v" }];
        pod.volumes = [{ name: "v", emptyDir: {} }];
    }
    if (path.includes(".env[]")) {
        container.env = [{ name: "A", ...container.env[0] }];
    }
}

const FIELDS = paths(SPEC, "spec");

describe("fields of an MPIJob", () => {
    for (const [path, type] of FIELDS) {
        const reason = NEEDLESS.find(([pattern]) => new RegExp(`^${pattern}$`).test(path))?.[1];
        it(`${path}: ${reason === undefined ? "is converted, or has a warning" : `needs neither: ${reason}`}`, () => {
            const given = mpiJob();
            put(given, path.split(".").slice(1), SPECIAL.find(([pattern]) => pattern.test(path))?.[1] ?? VALUES[type]);
            complete(given, path);
            const isSame = JSON.stringify(read(given)) === JSON.stringify(read(mpiJob()));
            assert.equal(isSame, reason !== undefined, JSON.stringify(read(given), undefined, 2));
        });
    }

    const page = readFileSync(join(__dirname, "../../../../docs/from-mpi-operator.md"), "utf8");

    it("become the arguments of the page in its example", () => {
        const [, yaml] = /```yaml\n([^]*?)```/.exec(page) ?? [];
        const [, fields] = /```ts\n\/\/ args\n([^]*?)```/.exec(page) ?? [];
        const { args } = fromMPIJob(`apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: a}\n${yaml}`);
        const expected = JSON.parse(
            fields
                .replaceAll(/(\w+): /g, '"$1": ')
                .replace(/^/, "{")
                .replace(/,\s*$/, "}"),
        );
        assert.deepEqual(args, expected);
    });

    it("are all on the page for users, outside of the pod templates", () => {
        const names = FIELDS.map(([path]) => path).filter((path) => !path.includes(".template."));
        const missing = names.map((path) =>
            path.replace("spec.mpiReplicaSpecs.", "").replace("spec.", "").replace(".*", ""),
        );
        assert.deepEqual(
            missing.filter((path) => !page.includes(`\`${path}\``)),
            [],
        );
    });

    it("are all on the page for users, inside of the pod templates", () => {
        const inside = FIELDS.map(([path]) => path).filter((path) => /\.Worker\.template\.spec\./.test(path));
        const names = new Set(
            inside
                .map((path) => path.replace(/^.*\.template\.spec\./, ""))
                .filter((path) => !path.startsWith("initContainers"))
                .map((path) => path.replace("containers[].", "").replace(/[.[].*$/, "")),
        );
        assert.deepEqual(
            [...names].filter((name) => !page.includes(`\`${name}\``)),
            [],
        );
    });
});

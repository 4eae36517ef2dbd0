import fc from "fast-check";
import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { resolveSpec } from "../../../../components/arguments/decide";
import { FEATURES } from "../../../../components/features";
import type { Feature } from "../../../../components/features/feature";
import { fit } from "../../../../components/features/fit";
import { services } from "../../../../components/features/services";
import { update } from "../../../../components/features/update";
import { whereToRun } from "../../../../components/parts/nodes";
import { SCRIPT_ENVIRONMENT } from "../../../../provider/contract/scriptVariables";
import { configFiles } from "../../../../components/pod/configMap";
import { mounts } from "../../../../components/pod/mounts";
import type { MiniClusterSpec } from "../../../../components/spec";
import { GOLDEN_SPECS } from "../../../golden/specs";
import { EVERY_FEATURE } from "../../support/everyFeature";
import { rightArgs } from "../../support/rightArgs";

type Any = Feature<object, object>;
type Mounts = ReturnType<typeof mounts>;

const mountsOf = (spec: MiniClusterSpec): Mounts => mounts(spec, configFiles(spec));

/** The names with a value: an undefined one is left out of a manifest. */
const names = (of: object = {}) =>
    Object.keys(of).filter((name) => (of as Record<string, unknown>)[name] !== undefined);

/** What each feature sets, by the kind of the place. */
const KINDS: Readonly<Record<string, (feature: Any, spec: MiniClusterSpec, all: Mounts) => readonly string[]>> = {
    "file of the ConfigMap": ({ files }, spec) => names(files?.(spec)),
    "variable of the Flux container": ({ fields, parameters, variables }, spec) => [
        ...names({ ...parameters?.(spec) }).map((name) => SCRIPT_ENVIRONMENT[name as keyof typeof SCRIPT_ENVIRONMENT]),
        ...names({ ...fields?.(spec) }).map((name) => SCRIPT_ENVIRONMENT[name as keyof typeof SCRIPT_ENVIRONMENT]),
        ...(variables?.(spec) ?? []).map(({ name }) => name as string),
    ],
    "parameter of flux-prepare": ({ prepare }, spec) => names(prepare?.(spec)),
    port: ({ ports }, spec) => (ports?.(spec) ?? []).flatMap(({ name, port }) => [name, String(port)]),
    "path of a mount": (feature, spec) => (feature.mounts?.(spec) ?? []).map(({ mountPath }) => mountPath),
    "init container or sidecar": (feature, spec, all) => {
        const init = (feature.initContainers?.(spec, all) ?? []).map(({ container }) => container);
        return [...init, ...(feature.sidecars?.(spec, all) ?? [])].map(({ name }) => name as string);
    },
    "field of the Flux container": ({ container }, spec) => names(container?.(spec)),
    "field of the pods": ({ pod }, spec) => names(pod?.(spec, "hpc")),
    "annotation of the lead Service": ({ leadAnnotations }, spec) => names(leadAnnotations?.(spec)),
    "label of the pods": ({ podLabels }, spec) => names(podLabels?.(spec)),
    "annotation of the pods": ({ podAnnotations }, spec) => names(podAnnotations?.(spec)),
    "field of the Job": ({ job }, spec) => names(job?.(spec)),
    "label of the Job": ({ jobLabels }, spec) => names(jobLabels?.(spec)),
    "annotation of the Job": ({ jobAnnotations }, spec) => names(jobAnnotations?.(spec)),
};

/** What `pod/` sets itself. */
const OF_PODS: Readonly<Record<string, (spec: MiniClusterSpec) => readonly string[]>> = {
    "field of the Flux container": () => ["env", "name", "ports", "volumeMounts"],
    "field of the pods": (spec) => [
        ...["containers", "enableServiceLinks", "initContainers", "restartPolicy", "subdomain", "volumes"],
        ...Object.keys(whereToRun(spec)),
    ],
    "field of the Job": () => [
        "completionMode",
        "podFailurePolicy",
        "podReplacementPolicy",
        "successPolicy",
        "template",
    ],
};

/** Places that are set twice in a cluster, each with its kind. */
function twice(spec: MiniClusterSpec): string[] {
    const mounted = mountsOf(spec);
    return Object.entries(KINDS).flatMap(([kind, of]) => {
        const all = [
            ...(OF_PODS[kind]?.(spec) ?? []),
            ...FEATURES.flatMap((feature) => [...new Set(of(feature, spec, mounted))]),
        ];
        return all.filter((place, index) => all.indexOf(place) !== index).map((place) => `${kind}: ${place}`);
    });
}

const specOf = (args: Partial<PlainArgs>) =>
    resolveSpec("some", { image: "registry.example/flux:1", command: ["true"], ...args });

describe("the features", () => {
    const clusters = [
        ...GOLDEN_SPECS.map(({ args, name, secretNames }) => [name, resolveSpec(name, args, secretNames)] as const),
        ...EVERY_FEATURE.map((args) => [JSON.stringify(args), specOf(args)] as const),
    ];
    for (const [name, spec] of clusters) {
        it(`set no place of a manifest twice in ${name}`, () => assert.deepEqual(twice(spec), []));
    }

    it("set no place of a manifest twice, whatever the arguments are", () =>
        fc.assert(
            fc.property(rightArgs, (args) => assert.deepEqual(twice(specOf({ ...args, name: "some" })), [])),
            { numRuns: 300 },
        ));

    it("all set something in these clusters, but fit and update, which have inputs only, and services, which have own objects", () => {
        const silent = FEATURES.filter((feature) =>
            clusters.every(([, spec]) => {
                const mounted = mountsOf(spec);
                return Object.values(KINDS).every((of) => of(feature, spec, mounted).length === 0);
            }),
        );
        assert.deepEqual(silent, [services, fit, update]);
    });

    it("set no input of a resource twice", () => {
        const all = FEATURES.flatMap(({ jobInputs, statusInputs }) => [
            ...names(jobInputs).map((name) => `IndexedJob ${name}`),
            ...names(statusInputs).map((name) => `JobStatus ${name}`),
        ]);
        assert.equal(new Set(all).size, all.length);
    });
});

import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { resolveSpec } from "../../../../components/arguments/decide";
import { fromMPIJob, type MPIJobOptions } from "../../../../convert";
import { configFiles } from "../../../../components/pod/configMap";
import { podTemplate } from "../../../../components/pod/template";

/** Asserts that the pods of a cluster with these arguments have each name once, and a volume for each mount. */
export function assertPods(args: PlainArgs, name: string): void {
    const spec = resolveSpec(name, args);
    const { containers, initContainers = [], volumes = [] } = podTemplate(spec, "hpc", configFiles(spec)).spec;
    const names = (items: readonly { readonly name: string }[]) => items.map((item) => item.name);
    for (const given of [names([...containers, ...initContainers]), names(volumes)]) {
        assert.deepEqual([...new Set(given)], given);
    }
    for (const { image, volumeMounts = [] } of [...containers, ...initContainers]) {
        assert.ok(image, JSON.stringify(initContainers));
        const missing = names(volumeMounts).filter((mount) => !names(volumes).includes(mount));
        assert.deepEqual(missing, []);
        const paths = volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
        assert.deepEqual([...new Set(paths)], paths);
    }
}

/** Parts of an MPIJob whose image has Flux and whose MPI is MPICH, so that it has no warnings of its own. */
export interface Parts {
    readonly metadata?: object;
    readonly spec?: Record<string, any>;
    /** The launcher's container. */
    readonly launcher?: object;
    /** Further fields of the launcher's pod. */
    readonly launcherPod?: object;
    /** The workers' container. */
    readonly worker?: object;
    /** Further fields of the workers' pods. */
    readonly workerPod?: object;
    readonly replicas?: number;
}

/** The YAML of an MPIJob. */
export function mpiJob({ launcher, launcherPod, metadata, replicas, spec, worker, workerPod }: Parts): string {
    const { containers: more = [], ...pod } = (workerPod ?? {}) as Record<string, any>;
    const { containers: others = [], ...ofLauncher } = (launcherPod ?? {}) as Record<string, any>;
    return JSON.stringify({
        apiVersion: "kubeflow.org/v2beta1",
        kind: "MPIJob",
        metadata: { name: "wave", ...metadata },
        spec: {
            mpiImplementation: "MPICH",
            mpiReplicaSpecs: {
                Launcher: {
                    template: {
                        spec: {
                            containers: [
                                { name: "launcher", image: "a:1", command: ["mpirun", "./wave"], ...launcher },
                                ...others,
                            ],
                            ...ofLauncher,
                        },
                    },
                },
                Worker: {
                    replicas: replicas ?? 2,
                    template: { spec: { containers: [{ name: "worker", image: "a:1", ...worker }, ...more], ...pod } },
                },
            },
            ...spec,
        },
    });
}

/** The default of the operator, which defaults.spec.ts tests. */
const DEFAULT_BACKOFF = 6;

export interface Converted {
    readonly name: string;
    readonly args: Record<string, any>;
    /** Without the lines of the fields, and with short paths of the containers. */
    readonly warnings: readonly string[];
}

export function convert(parts: Parts, options: MPIJobOptions = { fluxInImage: true }): Converted {
    return converted(mpiJob(parts), options);
}

export function converted(yaml: string, options: MPIJobOptions = { fluxInImage: true }): Converted {
    const { args, name, warnings } = fromMPIJob(yaml, options);
    const { backoffLimit, ...plain } = JSON.parse(JSON.stringify(args)) as Record<string, any>;
    return {
        name,
        args: backoffLimit === DEFAULT_BACKOFF ? plain : { ...plain, backoffLimit },
        warnings: warnings.map((warning) =>
            warning
                .replaceAll(/ \(line \d+\)/g, "")
                .replaceAll(/spec\.mpiReplicaSpecs\.(\w+)\.template\.spec/g, (_, type: string) => type.toLowerCase()),
        ),
    };
}

/** The arguments besides those of the smallest MPIJob. */
export function more(parts: Parts): Converted {
    const { args, ...rest } = convert(parts);
    const { image: _, size: __, ...others } = args;
    return { args: others, ...rest };
}

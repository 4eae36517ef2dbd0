import type { V1Job } from "@kubernetes/client-node";

import type { PlainArgs } from "../../../components/args";
import { configFiles, configMap } from "../../../components/pod/configMap";
import { job } from "../../../components/pod/job";
import { completeMounted } from "../../../provider/indexedJob/configMapAndSecret";
import { completeJob } from "../../../provider/indexedJob/identity";
import type { IndexedJobInputs, IndexedJobOutputs } from "../../../provider/indexedJob/properties";
import { makeSpec } from "./spec";

export const NONCE = "0123456789abcdef";

/** Inputs of an IndexedJob, as a MiniCluster makes them. */
export function makeInputs(args: Partial<PlainArgs> = {}, overrides: Partial<IndexedJobInputs> = {}): IndexedJobInputs {
    const spec = makeSpec(args);
    return {
        manifest: job(spec, "hpc", configFiles(spec)),
        files: configMap(spec, "hpc", configFiles(spec)),
        ...(spec.code === undefined ? {} : { code: spec.code.found.code }),
        lead: { name: "lammps-lead", uid: "service-uid", address: "10.96.0.7" },
        nonce: NONCE,
        secretVersion: "v1",
        rerunFailed: spec.rerunFailed,
        interrupt: spec.interrupt,
        // Most tests are not about it, and count requests.
        fit: "off",
        minSize: spec.minSize,
        deleteTimeout: spec.timeouts.delete,
        ...overrides,
    };
}

export function makeOutputs(
    args: Partial<PlainArgs> = {},
    overrides: Partial<IndexedJobOutputs> = {},
): IndexedJobOutputs {
    return { ...makeInputs(args), schemaVersion: 1, finished: false, ...overrides };
}

/** The ConfigMap as an API server has it. */
export function makeLiveFiles({ files, ...inputs }: IndexedJobInputs): any {
    return structuredClone(completeMounted(files ?? {}, inputs));
}

/** The Job as an API server has it. */
export function makeLive(inputs: IndexedJobInputs, status: V1Job["status"] = {}): V1Job {
    const { metadata, spec, ...rest } = completeJob(inputs);
    return structuredClone({ ...rest, metadata: { ...metadata, uid: "job-uid" }, spec, status });
}

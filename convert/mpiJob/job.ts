import { QUEUE_LABEL } from "../../provider/contract/labels";
import { documentsIn, findIn, type Found, isObject, type PlainResource, readerOf, warnOfRefusals } from "../resource";
import { cureOf, fit } from "../schemaFit";
import { readMetadata } from "../metadata";
import { type Fields, filled, given, type Reader, type Values } from "../reader";
import { SPEC } from "./schema";
import { readSpec } from "./spec";

const NAMES = {
    default: "mpi-job",
    owner: "the MPIJob, which the MPI Operator gives to no pod",
    gone: "there is no MPIJob any more",
};

const SCHEMA = {
    type: SPEC,
    unknown: (name: string, own: readonly string[]) =>
        `is no field of an MPIJob (v2beta1), so it is ignored; ${cureOf(name, own)}.`,
};

/** Reads the first MPIJob of a text, as `fromMPIJob` says. */
export function readMPIJob(yaml: string, fluxInImage: boolean): PlainResource {
    const documents = documentsIn(yaml);
    const found = findIn(documents, isMPIJob);
    if (found === undefined) {
        const other = findIn(documents, ({ kind }) => kind === "TrainJob");
        throw new Error(other === undefined ? NONE : TRAIN_JOB);
    }
    return readDocument(found, fluxInImage);
}

const NONE =
    "This text has no MPIJob with a spec. Give the YAML of an MPIJob of the MPI Operator, kubeflow.org/v2beta1.";

const TRAIN_JOB =
    "This text has a TrainJob of Kubeflow Trainer, whose pods are described by a TrainingRuntime in the cluster. " +
    "Give an MPIJob of kubeflow.org/v2beta1, or write the arguments of a MiniCluster by hand.";

function isMPIJob({ kind, spec }: Fields): boolean {
    return kind === "MPIJob" && isObject(spec);
}

function readDocument(found: Found, fluxInImage: boolean): PlainResource {
    const reader = readerOf(found, "an MPIJob");
    const { apiVersion, metadata, spec } = found.document.value as Fields;
    requireVersion(reader, apiVersion);
    const { kueue, rest } = kueueLabels(metadata ?? {});
    const { name, namespace } = readMetadata(reader, rest, NAMES);
    const args = readSpec(reader, fit(reader, "spec", spec, SCHEMA) as Fields, { fluxInImage, name });
    const all = given({ namespace, ...args, ...kueue });
    leaveSuspend(reader, all);
    warnOfRefusals(reader, name, all);
    return { name, args: all, warnings: reader.warnings };
}

/** Kueue suspends the MPIJobs of its queues, and so such a field may be Kueue's own. */
function leaveSuspend(reader: Reader, args: Values): void {
    if (args.suspend && args.queueName !== undefined) {
        const reason = `is true, but Kueue decides on that in the queue ${args.queueName}; it is left out.`;
        reader.warn("spec.runPolicy.suspend", `${reason} To hold the Job back, deactivate its Workload.`);
        delete args.suspend;
    }
}

const VERSION = "kubeflow.org/v2beta1";

function requireVersion(reader: Reader, apiVersion: unknown): void {
    if (apiVersion === undefined || apiVersion === null) {
        reader.warn("apiVersion", `is missing; the MPIJob is read as ${VERSION}. Give the version.`);
    } else if (apiVersion !== VERSION) {
        const cure = `Write it as ${VERSION}: mpiReplicaSpecs are the same, and the policies of v1 are in runPolicy.`;
        const place = reader.placed("apiVersion");
        throw new Error(
            `${place} is "${String(apiVersion)}", but only an MPIJob of ${VERSION} can be converted. ${cure}`,
        );
    }
}

/** The labels by which Kueue decides on an MPIJob, as arguments; it decides on the Job here. */
function kueueLabels(metadata: Fields): { readonly kueue: Values; readonly rest: Fields } {
    const { [QUEUE_LABEL]: queueName, ...labels } = (metadata.labels ?? {}) as Fields;
    const isKueues = ([name]: [string, unknown]) => name.startsWith("kueue.x-k8s.io/");
    const own = Object.entries(labels).filter(isKueues);
    const others = Object.entries(labels).filter((entry) => !isKueues(entry));
    return {
        kueue: given({ queueName, labels: filled(Object.fromEntries(own)) }),
        rest: { ...metadata, labels: Object.fromEntries(others) },
    };
}

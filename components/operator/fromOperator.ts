import * as pulumi from "@pulumi/pulumi";

import { QUEUE_LABEL } from "../../provider/contract/labels";
import { RUN_OPTIONS } from "../../provider/contract/runOptions";
import type { MiniClusterArgs } from "../args";
import { type ReadContainer, readRunner, readService, readSidecar } from "./container";
import { readFlux } from "./flux";
import { warnOfOwnPaths } from "./ownPaths";
import { readLabels, readPod } from "./pod";
import { type Fields, needless, Reader, type Values } from "./reader";

/** A resource of the Flux Operator, as arguments of a MiniCluster. */
export interface OperatorResource {
    /** Name of the resource. Pass it to the MiniCluster. */
    readonly name: string;
    /** Arguments of the MiniCluster. */
    readonly args: MiniClusterArgs;
    /** Fields without an equal argument: `path: what to do`. */
    readonly warnings: readonly string[];
}

/**
 * Reads a MiniCluster of the Flux Operator (v1alpha2) as arguments of this package's MiniCluster. If the YAML has
 * several documents, the first MiniCluster is read. Throws if there is none, or if no container runs Flux.
 * @param yaml Text of the resource.
 * @see https://flux-framework.org/flux-operator/getting_started/custom-resource-definition.html
 */
export function fromOperator(yaml: string): OperatorResource {
    const { args, ...rest } = readResource(yaml);
    const { certificate } = args;
    return { args: certificate === undefined ? args : { ...args, certificate: pulumi.secret(certificate) }, ...rest };
}

/** The same for a program in another language, to which no Output can be returned. The certificate is plain text. */
export function readResource(yaml: string): OperatorResource {
    // Loaded only here, because few programs need it.
    const { parseAllDocuments } = require("yaml") as typeof import("yaml");
    const documents = parseAllDocuments(yaml).map((document) => (document.toJS() ?? {}) as Fields);
    const resource = documents.find(
        (document) => document.kind === "MiniCluster" && document.spec?.containers !== undefined,
    );
    if (resource === undefined) {
        throw new Error(
            "This text has no MiniCluster with containers. Give the YAML of a MiniCluster of the Flux Operator.",
        );
    }
    const reader = new Reader();
    const { namespace, name = "flux-sample" } = (resource.metadata ?? {}) as { namespace?: string; name?: string };
    const args = readSpec(reader, resource.spec as Fields, name);
    return {
        name,
        args: { ...(namespace === undefined ? {} : { namespace }), ...args } as unknown as MiniClusterArgs,
        warnings: reader.warnings,
    };
}

function readSpec(reader: Reader, spec: Fields, name: string): Values {
    const containers = spec.containers as Fields[];
    const runner = containers.length === 1 ? 0 : containers.findIndex(({ runFlux }) => runFlux);
    if (runner === -1) {
        throw new Error("No container has runFlux: true. Set it for the container that runs Flux.");
    }
    const interactive = Boolean(spec.interactive);
    const { args, template: container } = readRunner(
        reader,
        `spec.containers[${runner}]`,
        containers[runner],
        interactive,
    );
    const template: Values = {};
    readTop(reader, { ...spec, name }, args, template);
    readPod(reader, spec.pod, args, template);
    if (args.hostIPC && args.sharedMemory !== undefined) {
        reader.warn("spec.pod.hostIPC", "makes /dev/shm the node's here, without the limit of the volume at /dev/shm.");
        delete args.sharedMemory;
    }
    readFlux(reader, { ...spec.flux }, args);
    warnOfOwnPaths(reader, spec);
    if (!runsTasks(args)) {
        RUN_OPTIONS.forEach((option) => delete args[option]);
    }
    const sidecars = containers.flatMap((fields, index) =>
        index === runner ? [] : [readSidecar(reader, `spec.containers[${index}]`, fields)],
    );
    if (sidecars.length > 0) {
        args.sidecars = sidecars.map((sidecar) => sidecar.args);
        addPullSecrets(args, sidecars);
    }
    const rest = sidecars.filter((sidecar) => Object.keys(sidecar.template).length > 0);
    const parts = {
        ...template,
        ...(Object.keys(container).length > 0 ? { containers: [{ name: "flux", ...container }] } : {}),
        ...(rest.length > 0
            ? { initContainers: rest.map((sidecar) => ({ name: sidecar.args.name, ...sidecar.template })) }
            : {}),
    };
    return Object.keys(parts).length > 0 ? { ...args, podTemplate: { spec: parts } } : args;
}

function addPullSecrets(args: Values, containers: readonly ReadContainer[]): void {
    const secrets = new Set([
        ...(args.imagePullSecrets ?? []),
        ...containers.flatMap(({ imagePullSecrets = [] }) => imagePullSecrets),
    ]);
    if (secrets.size > 0) {
        args.imagePullSecrets = [...secrets];
    }
}

const ELASTIC =
    "is only the limit here: no autoscaler can resize a Job. With the argument elastic, the cluster sizes itself by its queue.";

/** Reads the other fields of `spec`. `name` is the resource's name, which is not a field of `spec`. */
function readTop(reader: Reader, { name, ...spec }: Fields, args: Values, template: Values): void {
    const into = (property: string) => (value: unknown) => (args[property] = value);
    reader.read("spec", spec, {
        containers: needless,
        flux: needless,
        interactive: needless,
        pod: needless,
        size: into("size"),
        maxSize: (value) => {
            args.maxSize = value;
            if (Number(value) > Number(spec.size ?? 1)) {
                reader.warn("spec.maxSize", ELASTIC);
            }
        },
        minSize: into("minSize"),
        tasks: needless,
        deadlineSeconds: into("activeDeadlineSeconds"),
        backoffLimit: (value) => (args.backoffLimit = value === 0 ? 100 : value),
        shareProcessNamespace: (value) => (template.shareProcessNamespace = value),
        jobLabels: ({ [QUEUE_LABEL]: queue, ...labels }: Record<string, string>) => {
            args.queueName = queue;
            args.labels = readLabels(reader, "spec.jobLabels", labels);
        },
        network: (network: Fields) => readNetwork(reader, network, name as string),
        logging: (logging: Fields) => readLogging(reader, logging, args),
        archive: ({ path }: Fields) => {
            args.broker = { ...args.broker, attributes: { ...args.broker?.attributes, "content.restore": path } };
            reader.warn(
                "spec.archive.path",
                "must exist when the cluster starts: Flux refuses a missing archive, which the operator ignores.",
            );
        },
        cleanup: reader.without(
            "spec.cleanup",
            "has no counterpart; use pulumi destroy, or ttlSecondsAfterFinished for the Job.",
        ),
        services: (services: Fields[]) => {
            const read = services.map((fields, index) => readService(reader, `spec.services[${index}]`, fields));
            const reachable = read.filter((service) => service.args.ports.length > 0);
            if (reachable.length > 0) {
                args.services = reachable.map((service) => service.args);
                addPullSecrets(args, reachable);
            }
        },
    });
    // The operator's default is one task in all, not one for each rank.
    if (runsTasks(args) && spec.tasks !== 0) {
        args.tasks = spec.tasks ?? 1;
    }
}

/** True if Flux runs the command as tasks. Otherwise numbers of tasks, cores and GPUs have no effect. */
function runsTasks({ command, launcher }: Values): boolean {
    return command !== undefined && !launcher;
}

function readNetwork(reader: Reader, network: Fields, name: string): void {
    reader.read("spec.network", network, {
        disableAffinity: needless,
        headlessName: (value) => {
            if (value !== name) {
                reader.warn(
                    "spec.network.headlessName",
                    `is "${value}"; here the headless Service has the name of the cluster, "${name}".`,
                );
            }
        },
    });
}

function readLogging(reader: Reader, logging: Fields, args: Values): void {
    const broker: Values = {};
    reader.read("spec.logging", logging, {
        quiet: (value) => (broker.logLevel = value ? 0 : undefined),
        strict: needless,
        timed: reader.without(
            "spec.logging.timed",
            "has no counterpart; see the output timings, or write time before the command.",
        ),
        debug: reader.without("spec.logging.debug", "has no counterpart; see broker.logLevel."),
        zeromq: (value) => (broker.attributes = value ? { "tbon.zmqdebug": "1" } : undefined),
    });
    const given = Object.fromEntries(Object.entries(broker).filter(([, value]) => value !== undefined));
    if (Object.keys(given).length > 0) {
        args.broker = { ...args.broker, ...given };
    }
}

/** A field with a default in another operator. */
export interface Row {
    readonly path: string;
    /** The default. */
    readonly value: unknown;
    /** Same: the default here has the same effect. Converted: an argument says it. Warned: a warning says it. */
    readonly kind: "converted" | "same" | "warned";
    readonly why: string;
    /** The argument, and its value. */
    readonly argument?: string;
    readonly becomes?: unknown;
    readonly warning?: RegExp;
    /** Parts of the resource in which the default has an effect. */
    readonly beside?: object;
}

const same = (path: string, value: unknown, why: string, beside?: object): Row => ({
    path,
    value,
    kind: "same",
    why,
    beside,
});

/** `becomes` has the argument and its value. */
const converted = (
    path: string,
    value: unknown,
    why: string,
    becomes: readonly [string, unknown],
    beside?: object,
): Row => ({
    path,
    value,
    kind: "converted",
    why,
    argument: becomes[0],
    becomes: becomes[1],
    beside,
});

const CONTAINER = "spec.containers[0]";
const VOLUME = `${CONTAINER}.volumes.data`;
const CLAIM = { spec: { containers: [{ volumes: { data: { claimName: "c", path: "/data" } } }] } };
const STRICT = { spec: { logging: { strict: true } } };
const STAYS = { spec: { interactive: true, containers: [{ command: "" }] } };

/**
 * All defaults of the Flux Operator's v1alpha2, of its CustomResourceDefinition, of its check of a resource and of the
 * objects that it makes (0.3 of June 2026).
 */
export const OPERATOR_DEFAULTS: readonly Row[] = [
    same("spec.size", 1, "one rank is the default"),
    same("spec.minSize", 0, "the quorum is size"),
    same("spec.maxSize", 0, "no more than size"),
    converted("spec.tasks", 1, "one task in all", ["tasks", 1]),
    same("spec.backoffLimit", 0, "a failed command isn't run again, because its pod succeeds there"),
    converted("spec.backoffLimit", 0, "a failed command runs again 100 times", ["backoffLimit", 100], STRICT),
    same("spec.backoffLimit", 0, "pods of a persistent cluster are replaced without a limit", STAYS),
    same("spec.deadlineSeconds", 31_500_000, "a year is no deadline"),
    same("spec.interactive", false, "the command runs"),
    same("spec.cleanup", false, "the objects stay"),
    same("spec.shareProcessNamespace", false, "each container has its own processes"),
    same("spec.jobLabels", {}, "no labels"),
    same("spec.services", [], "no services"),
    same("spec.network.headlessName", "sample", "the headless Service has the name of the cluster"),
    same("spec.network.disableAffinity", false, "one zone is preferred"),
    same("spec.archive.path", "", "no archive"),
    same("spec.logging.quiet", false, "the brokers print as they do by default"),
    same("spec.logging.strict", false, "hooks may fail"),
    same("spec.logging.debug", false, "flux submit prints no more"),
    same("spec.logging.zeromq", false, "no messages of ZeroMQ"),
    same("spec.logging.timed", false, "no times of Flux' commands"),
    same("spec.pod.annotations", {}, "none"),
    same("spec.pod.labels", {}, "none"),
    same("spec.pod.restartPolicy", "OnFailure", "the Job replaces a failed pod, as often as backoffLimit allows"),
    same("spec.pod.automountServiceAccountToken", false, "no token"),
    same("spec.pod.dnsPolicy", "", "ClusterFirst, of Kubernetes"),
    same("spec.pod.schedulerName", "", "the scheduler of Kubernetes"),
    same("spec.pod.serviceAccountName", "", "the namespace's"),
    same("spec.pod.runtimeClassName", "", "the nodes' runtime"),
    same("spec.pod.hostIPC", false, "the pod's own"),
    same("spec.pod.hostPID", false, "the pod's own"),
    same("spec.pod.securityContext", {}, "none"),
    {
        ...converted(
            `${CONTAINER}.image`,
            "",
            "the image of the CustomResourceDefinition",
            ["image", "ghcr.io/rse-ops/accounting:app-latest"],
            { spec: { containers: [{ image: "" }] } },
        ),
        kind: "warned",
    },
    converted(`${CONTAINER}.pullAlways`, false, "IfNotPresent, also for latest", ["imagePullPolicy", "IfNotPresent"], {
        spec: { containers: [{ image: "a:latest" }] },
    }),
    same(`${CONTAINER}.imagePullPolicy`, "", "IfNotPresent for a tag"),
    same(`${CONTAINER}.imagePullSecret`, "", "none"),
    same(`${CONTAINER}.workingDir`, "", "the image's"),
    same(`${CONTAINER}.name`, "", "the container is called flux"),
    same(`${CONTAINER}.runFlux`, true, "the only container runs Flux"),
    same(`${CONTAINER}.launcher`, false, "Flux starts the command as tasks"),
    same(`${CONTAINER}.batch`, false, "the command is no batch"),
    same(`${CONTAINER}.batchRaw`, false, "the command is no batch"),
    same(`${CONTAINER}.noWrapEntrypoint`, false, "it has no effect on the container that runs Flux"),
    same(`${CONTAINER}.securityContext`, {}, "none"),
    same(`${VOLUME}.readOnly`, false, "volumes can be written", CLAIM),
    same(`${VOLUME}.emptyDir`, false, "the claim is mounted", CLAIM),
    same("spec.flux.arch", "", "the image's"),
    same("spec.flux.connectTimeout", "5s", "brokers try again until they are connected, here sooner"),
    same("spec.flux.logLevel", 6, "only the log differs: brokers print errors here"),
    same("spec.flux.topology", "", "Flux' default there, flat here"),
    same("spec.flux.submitCommand", "", "flux submit there, flux run here"),
    same("spec.flux.wrap", "", "no program around the brokers"),
    same("spec.flux.optionFlags", "", "no options"),
    same("spec.flux.minimalService", false, "all ranks have names"),
    same("spec.flux.disableSocket", false, "the broker has a socket"),
    same("spec.flux.noWaitSocket", false, "sidecars don't wait for it"),
    same("spec.flux.completeWorkers", false, "followers end with the lead"),
    same("spec.flux.curveCert", "", "a new key"),
    same("spec.flux.mungeSecret", "", "no key of MUNGE"),
    same("spec.flux.brokerConfig", "", "made from the arguments"),
    same("spec.flux.scheduler.simple", false, "Flux' own scheduler is the default"),
    same("spec.flux.scheduler.queuePolicy", "fcfs", "the scheduler's default"),
    {
        path: "spec.flux.bursting.leadBroker.port",
        value: 8050,
        kind: "warned",
        why: "a cluster has the pods of one Job",
        warning: /^spec\.flux\.bursting\.leadBroker/,
        beside: { spec: { flux: { bursting: { leadBroker: { address: "10.0.0.1", name: "far", size: 2 } } } } },
    },
    converted("spec.flux.container.disable", false, "Flux comes from an image of its own", ["view.image", "b:1"]),
    converted(
        "spec.flux.container.image",
        "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble",
        "the image of the CustomResourceDefinition",
        ["view.image", "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble"],
        { spec: { flux: { container: { image: "" } } } },
    ),
    same("spec.flux.container.name", "flux-view", "the name of an init container"),
    same("spec.flux.container.mountPath", "/mnt/flux", "paths in it have warnings of their own"),
    same("spec.flux.container.pullAlways", false, "IfNotPresent for a tag"),
    same("spec.flux.container.workingDir", "", "the init container only copies"),
    same("spec.flux.container.pythonPath", "", "Flux finds its Python"),
];

const WORKERS = "spec.mpiReplicaSpecs.Worker";
const HOOK = { preStop: { exec: { command: ["save"] } } };
const LAUNCHER = "spec.mpiReplicaSpecs.Launcher";

/** All defaults of the MPI Operator's v2beta1, of its types, its defaulting and the Jobs that it makes (0.8 of July 2026). */
export const MPI_DEFAULTS: readonly Row[] = [
    converted("spec.slotsPerWorker", 1, "one task for each worker", ["tasks", 2]),
    same("spec.runLauncherAsWorker", false, "the workers are the ranks"),
    same("spec.sshAuthMountPath", "/root/.ssh", "there is no ssh; a text with this path has a warning of its own"),
    same("spec.launcherCreationPolicy", "AtStartup", "the command waits for the ranks in any case"),
    {
        path: "spec.mpiImplementation",
        value: "OpenMPI",
        kind: "warned",
        why: "Open MPI 5 needs a plugin",
        argument: "shellOptions",
        warning: /^spec\.mpiImplementation/,
    },
    same("spec.runPolicy.cleanPodPolicy", "None", "pods that have ended stay with their logs"),
    converted("spec.runPolicy.backoffLimit", 6, "a failed command runs again six times", ["backoffLimit", 6]),
    same("spec.runPolicy.suspend", false, "the Job starts at once"),
    same("spec.runPolicy.managedBy", "kubeflow.org/mpi-operator", "one cluster runs it"),
    same("spec.runPolicy.schedulingPolicy", {}, "no PodGroup"),
    same("spec.runPolicy.schedulingPolicy.queue", "", "no queue of Volcano"),
    same("spec.runPolicy.schedulingPolicy.priorityClass", "", "none"),
    same(`${LAUNCHER}.replicas`, 1, "the command runs once"),
    same(`${LAUNCHER}.restartPolicy`, "OnFailure", "backoffLimit decides"),
    same(
        `${WORKERS}.template.spec.terminationGracePeriodSeconds`,
        30,
        "a preStop hook has Kubernetes' 30 s, and the cluster seconds of its own",
        { spec: { mpiReplicaSpecs: { Worker: { template: { spec: { containers: [{ lifecycle: HOOK }] } } } } } },
    ),
    same(`${WORKERS}.restartPolicy`, "Never", "the Job replaces a lost pod"),
];

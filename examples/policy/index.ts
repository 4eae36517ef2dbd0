import { PolicyPack, type ReportViolation, type ResourceValidationArgs } from "@pulumi/policy";
import { containersOf, judgementOf, objectsOf, podSpecOf } from "flux-minicluster/policy";

interface Settings {
    /** Most GPUs of one Job. */
    readonly maxGpus: number;
    /** Most hours of nodes of one MiniCluster; without it, no limit. */
    readonly maxNodeHours?: number;
    /** Queues of Kueue to which a Job may be submitted. */
    readonly queues: readonly string[];
    /** Beginnings of the names of allowed images. */
    readonly registries: readonly string[];
}

const QUEUE = "kueue.x-k8s.io/queue-name";

new PolicyPack("flux-minicluster", {
    policies: [
        {
            name: "gpu-limit",
            description: "A Job of its present size takes no more GPUs than allowed.",
            enforcementLevel: "mandatory",
            configSchema: { properties: { maxGpus: { type: "integer", default: 8 } } },
            validateResource: (args, report) => {
                const { maxGpus } = args.getConfig<Settings>();
                for (const job of jobsOf(args)) {
                    const gpus = (job.spec?.parallelism ?? 1) * gpusOfPod(job);
                    violation(report, gpus > maxGpus, job, `takes ${gpus} GPUs; at most ${maxGpus} are allowed`);
                }
            },
        },
        {
            name: "node-hours",
            description: "A MiniCluster has a time limit, and takes no more hours of nodes than allowed.",
            enforcementLevel: "mandatory",
            configSchema: { properties: { maxNodeHours: { type: "number" } } },
            validateResource: async (args, report) => {
                const { maxNodeHours } = args.getConfig<Settings>();
                const judged = maxNodeHours === undefined ? undefined : await judgementOf(args);
                if (judged !== undefined && (judged.nodeHours ?? Infinity) > maxNodeHours!) {
                    const takes = judged.nodeHours ?? "an unknown number of";
                    report(`${args.name} takes ${takes} node-hours; at most ${maxNodeHours} are allowed.`);
                }
            },
        },
        {
            name: "required-queue",
            description: "A Job is submitted to one of the queues.",
            enforcementLevel: "mandatory",
            configSchema: {
                properties: { queues: { type: "array", items: { type: "string" }, default: ["default"] } },
            },
            validateResource: (args, report) => {
                const { queues } = args.getConfig<Settings>();
                for (const job of jobsOf(args)) {
                    const queue = job.metadata?.labels?.[QUEUE];
                    const said = queue === undefined ? "has no queue" : `has the queue ${queue}`;
                    violation(report, !queues.includes(queue), job, `${said}; allowed are ${queues.join(", ")}`);
                }
            },
        },
        {
            name: "allowed-registries",
            description: "All images come from an allowed registry.",
            enforcementLevel: "mandatory",
            configSchema: {
                properties: {
                    registries: { type: "array", items: { type: "string" }, default: ["registry.example/"] },
                },
            },
            validateResource: (args, report) => {
                const { registries } = args.getConfig<Settings>();
                for (const object of objectsOf(args)) {
                    for (const { image = "", name } of containersOf(object)) {
                        const isAllowed = registries.some((registry) => image.startsWith(registry));
                        violation(report, !isAllowed, object, `has the image ${image} in ${name}`);
                    }
                }
            },
        },
    ],
});

function jobsOf(args: ResourceValidationArgs) {
    return objectsOf(args).filter(({ kind }) => kind === "Job");
}

function gpusOfPod(job: ReturnType<typeof objectsOf>[number]): number {
    // Not those of init containers: they have ended when these start.
    const containers: ReturnType<typeof containersOf> = podSpecOf(job)?.containers ?? [];
    const limits = containers.flatMap(({ resources }) => Object.entries(resources?.limits ?? {}));
    return limits.reduce((sum, [name, value]) => (name.endsWith("/gpu") ? sum + Number(value) : sum), 0);
}

function violation(
    report: ReportViolation,
    isBroken: boolean,
    { kind, metadata }: ReturnType<typeof objectsOf>[number],
    reason: string,
): void {
    if (isBroken) {
        report(`${kind} ${metadata?.name ?? ""} ${reason}.`);
    }
}

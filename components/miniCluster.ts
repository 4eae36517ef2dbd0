import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

import { domainNameOf } from "./parts/hosts";
import { requireNode } from "../provider/contract/versions";
import { CurveKey } from "../provider/curveKey/resource";
import { IndexedJob } from "../provider/indexedJob/resource";
import { JobStatus } from "../provider/jobStatus/resource";
import { withoutRemains } from "../provider/remains/resource";
import type { MiniClusterArgs } from "./args";
import type { LaterSpec } from "./arguments/laterSpec";
import { place, resolve } from "./arguments/resolve";
import { makeServices, secretOf } from "./children";
import { awaited } from "./children/awaited";
import { rememberCluster } from "./children/clusterAccess";
import { childrenOfFeatures } from "./children/ofFeatures";
import { childOptions } from "./children/options";
import { configFiles, configMap } from "./pod/configMap";
import { job } from "./pod/job";
import type { MiniClusterSpec } from "./spec";
import { FLUX_CONTAINER, namesOf } from "../provider/contract/names";
import type { RunRecord } from "../provider/contract/record/runRecord";
import type { KeptResults } from "../provider/contract/results";
import { FIND_FLUX } from "../provider/contract/paths";

/**
 * A Flux instance that runs as one Indexed Job in Kubernetes. Each pod runs one broker, and the pod with index 0 is the
 * lead.
 *
 * @example An ephemeral cluster, which runs a command on four ranks:
 * ```ts
 * const hello = new MiniCluster("hello", {
 *     image: "fluxrm/flux-core:bookworm-v0.88.0",
 *     size: 4,
 *     command: ["hostname"],
 * });
 * export const output = hello.output;
 * ```
 */
export class MiniCluster extends pulumi.ComponentResource {
    /**
     * Phase of the cluster at the last update or refresh: `pending`, `queued`, `starting`, `ready`, `running`, `succeeded`,
     * `failed`, `suspended`, `asleep`, `expired`, `gone` or `unknown`. `expired`: the TTL has removed the Job of a command
     * before its end was seen. `gone`: the Job doesn't exist any more.
     */
    public declare readonly phase: pulumi.Output<string>;
    /** Exit code of the lead, which is that of the command. Undefined while the command runs. */
    public declare readonly exitCode: pulumi.Output<number | undefined>;
    /** The end of the lead's log: at most 16 KiB, or `output.maxBytes`. `output.secret` encrypts it. */
    public declare readonly output: pulumi.Output<string>;
    /**
     * URL of the RESTful server inside the Kubernetes cluster, `http://NAME-lead.NAMESPACE.svc.DOMAIN:5000`. The server
     * answers when `pulumi up` returns. Without the server: address of the lead's broker, `tcp://HOST:8050`.
     */
    public declare readonly endpoint: pulumi.Output<string>;
    /** User of the RESTful server: FLUX_USER of its own client. Undefined if the server requires no authentication. */
    public declare readonly restfulUser: pulumi.Output<string | undefined>;
    /** Password of that user, FLUX_TOKEN of the client; a secret. @secret */
    public declare readonly restfulToken: pulumi.Output<string | undefined>;
    /** FLUX_SECRET_KEY of the client; a secret. @secret */
    public declare readonly restfulSecretKey: pulumi.Output<string | undefined>;
    /** DNS names of the ranks, in the order of the ranks. */
    public declare readonly hosts: pulumi.Output<string[]>;
    /** Kubernetes node of each rank. */
    public declare readonly nodes: pulumi.Output<{ [rank: string]: string }>;
    /**
     * Seconds from the Job's creation until: its queue admitted it (`queued`, only with `queueName`), all pods had a node
     * (`scheduled`), all pods ran (`started`), the lead had its quorum (`quorum`), the command began (`command`) and ended
     * (`ended`). The last two are known when the command has ended. With `onRankLoss` also the number of attempts
     * (`attempts`) and the start of the last one (`restarted`).
     * @fractional
     */
    public declare readonly timings: pulumi.Output<{ [phase: string]: number }>;
    /** The slowest rank to join, and the step that took longest. */
    public declare readonly slowestRank: pulumi.Output<string>;
    /** How far the command has said it is, such as `40 %, step 400 of 1,000`. Empty if it has said nothing. */
    public declare readonly progress: pulumi.Output<string>;
    /**
     * The files that `results` has kept. If they wait for a client, `reason` says until when, and which command fetches them.
     * Undefined without that argument, and before the command's end.
     */
    public declare readonly results: pulumi.Output<KeptResults | undefined>;
    /**
     * What ran, with what, when and how it ended: at most 16 KiB, which stay after the Job is gone. Undefined before the
     * command's end, and for a persistent cluster. `output.secret` leaves the command and the environment out.
     */
    public declare readonly record: pulumi.Output<RunRecord | undefined>;
    /** Command of `kubectl` that opens a shell on the lead. */
    public declare readonly attachCommand: pulumi.Output<string>;
    /** Command of `kubectl` that shows the lead's log. */
    public declare readonly logsCommand: pulumi.Output<string>;
    /** Command of `kubectl` that forwards the endpoint's port to localhost. */
    public declare readonly forwardCommand: pulumi.Output<string>;
    /** Kubernetes name of the Job. */
    public declare readonly name: pulumi.Output<string>;
    /** Kubernetes namespace of the Job. */
    public declare readonly namespace: pulumi.Output<string>;
    /** UID of the Job. It changes when the Job is replaced. */
    public declare readonly uid: pulumi.Output<string>;

    constructor(name: string, args: MiniClusterArgs, opts?: pulumi.ComponentResourceOptions) {
        requireNode();
        super("flux-minicluster:index:MiniCluster", name, {}, opts);
        const options = childOptions(this, name, opts);
        const resolved = resolve(this, name, args, opts?.aliases);
        const { access, namespace, spec: asked } = resolved;
        // A FluxJob checks its arguments against the whole spec.
        rememberCluster(this, resolved);

        const clusterName = asked.apply((of) => of.name);
        const key = new CurveKey(
            `${name}-key`,
            { ...access, rotate: asked.apply((of) => of.rotate), cluster: clusterName, namespace },
            options.child,
        );
        const ofProvider = {
            ...options.child,
            // Their names are given: a new object before the deletion of the old one would be the same object.
            deleteBeforeReplace: true,
            hooks: withoutRemains(access, clusterName),
        };
        const family = { spec: asked, key, namespace, options: ofProvider };
        const { headless, lead } = makeServices(name, family);
        // The API server sets the namespace; the mocks of a user's unit tests don't.
        const here = (lead.metadata.namespace as pulumi.Output<string | undefined>).apply((said) => said ?? "default");
        const spec = place(this, name, asked, here);
        const surroundings = { ...resolved, lead: existing(lead), namespace: here, spec };
        const ofFeatures = childrenOfFeatures(name, family, surroundings);
        const sizedBy = ofFeatures.sizedBy ?? options.sizedBy;
        const { secret, version } = secretOf(family, spec, ofFeatures.secrets);

        const manifest = spec.apply((of, place) => job(of, place, configFiles(of)));
        const indexedJob = new IndexedJob(
            `${name}-job`,
            {
                ...access,
                sizedBy,
                ...ofFeatures.job,
                manifest,
                awaited: awaited(pulumi.all([namespace, manifest]), opts),
                files: spec.apply((of, place) => configMap(of, place, configFiles(of))),
                secret,
                lead: surroundings.lead,
                nonce: key.nonce,
                secretVersion: version,
                markKey: pulumi.secret(key.secretKey),
            },
            { ...options.job, dependsOn: [headless, lead, ...ofFeatures.resources] },
        );
        const status = new JobStatus(
            `${name}-status`,
            {
                ...access,
                sizedBy,
                ...ofFeatures.status(indexedJob),
                job: indexedJob.id,
                lead: surroundings.lead,
            },
            options.status,
        );

        const commands = spec.apply(commandsFor);
        const outputs = {
            name: clusterName,
            namespace: here,
            uid: indexedJob.id.apply((id) => id.split("/")[2]),
            ...ofFeatures.outputs,
            hosts: spec.apply(hostsOf),
            phase: status.phase,
            exitCode: status.exitCode.apply((code) => code ?? undefined),
            output: status.output,
            nodes: status.nodes,
            timings: status.timings,
            slowestRank: status.slowest,
            progress: status.progress.apply((said) => said ?? ""),
            results: onlyIf(asked, ({ results }) => results !== undefined, status.results),
            record: onlyIf(asked, ({ mode }) => mode === "ephemeral", status.record),
            attachCommand: commands.attach,
            forwardCommand: commands.forward,
            logsCommand: commands.logs,
        } satisfies Omit<MiniCluster, keyof pulumi.ComponentResource>;
        Object.assign(this, outputs);
        this.registerOutputs(outputs);
    }
}

/**
 * Name, UID and address of the lead Service. At preview, a Service that doesn't exist yet has an invented UID and
 * address, but no id. So UID and address wait for the id.
 */
function existing(lead: kubernetes.core.v1.Service) {
    const { metadata, spec } = lead;
    const known = <T>(value: pulumi.Output<T>) => pulumi.all([lead.id, value]).apply(([, of]) => of as T);
    return { name: metadata.name, uid: known(metadata.uid), address: known(spec.clusterIP) };
}

/** Of other clusters, no state has this output, and a preview would take it as unknown. */
function onlyIf<T>(
    spec: LaterSpec,
    isWanted: (spec: MiniClusterSpec) => boolean,
    value: pulumi.Output<T | null | undefined>,
): pulumi.Output<T | undefined> {
    const found = value.apply((of) => of ?? undefined);
    return spec.apply(isWanted).apply((wanted) => (wanted ? found : undefined)) as pulumi.Output<T | undefined>;
}

function hostsOf(spec: MiniClusterSpec, namespace: string): string[] {
    return Array.from({ length: spec.size }, (_, rank) => domainNameOf(spec.name, rank, namespace, spec.clusterDomain));
}

/** Shell commands for users. They name the lead Service, which always selects the lead's pod. */
export function commandsFor(spec: MiniClusterSpec, namespace: string): Record<"attach" | "forward" | "logs", string> {
    const lead = `service/${namesOf(spec.name).lead}`;
    const { port } = spec.restful ?? spec.broker;
    return {
        attach: `kubectl exec -it -n ${namespace} ${lead} -c ${FLUX_CONTAINER} -- sh -c '${FIND_FLUX}; exec bash'`,
        forward: `kubectl port-forward -n ${namespace} ${lead} ${port}:${port}`,
        logs: `kubectl logs -n ${namespace} ${lead} -c ${FLUX_CONTAINER}`,
    };
}

import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

import { domainNameOf, namesOf } from "../provider/contract/names";
import { CurveKey } from "../provider/curveKey/resource";
import { IndexedJob } from "../provider/indexedJob/resource";
import { JobStatus } from "../provider/jobStatus/resource";
import type { MiniClusterArgs } from "./args";
import { childrenOf, given } from "./arguments/given";
import { place, resolve } from "./arguments/resolve";
import { makeServices, secretOf } from "./children";
import { clusterAccess, rememberAccess } from "./children/clusterAccess";
import { childOptions } from "./children/options";
import { makeCertificate, makeKeygenPod, makeKeyRights } from "./features/key/resources";
import { mungeKey } from "./features/munge/key";
import { makeNetworkPolicy } from "./features/network/resources";
import { restfulKeys } from "./features/restful/keys";
import { makeSharedServices } from "./features/services/resources";
import { Keygen } from "./parts/keygen";
import { configFiles, configMap } from "./pod/configMap";
import { job } from "./pod/job";
import type { MiniClusterSpec } from "./spec";
import { commandsFor } from "./userCommands";

/** A Flux instance that runs as one Indexed Job in Kubernetes: one broker in each pod, index 0 leads. */
export class MiniCluster extends pulumi.ComponentResource {
    /** Kubernetes name of the Job. */
    public readonly name: pulumi.Output<string>;
    public readonly namespace: pulumi.Output<string>;
    /** UID of the Job, which is another one when the cluster is made anew. */
    public readonly uid: pulumi.Output<string>;
    /** Where the cluster is reached from inside Kubernetes: URL of the RESTful server, else `tcp://HOST:PORT` of rank 0's broker. */
    public readonly endpoint: pulumi.Output<string>;
    /** User of the RESTful server, where it asks for one. */
    public readonly restfulUser: pulumi.Output<string | undefined>;
    /** That user's password; a secret. */
    public readonly restfulToken: pulumi.Output<string | undefined>;
    /** FLUX_SECRET_KEY of flux-restful's own clients; a secret. */
    public readonly restfulSecretKey: pulumi.Output<string | undefined>;
    /** Names of the ranks in cluster DNS, in the order of the ranks. */
    public readonly hosts: pulumi.Output<string[]>;
    /** Where the cluster was in its life when it was last waited for or refreshed. */
    public readonly phase: pulumi.Output<string>;
    /** Exit code of rank 0, once it has ended. */
    public readonly exitCode: pulumi.Output<number | undefined>;
    /** The end of what rank 0 printed. */
    public readonly output: pulumi.Output<string>;
    /** Rank to Kubernetes node. */
    public readonly nodes: pulumi.Output<{ [rank: string]: string }>;
    /** Seconds since the Job's creation at which each phase was over. */
    public readonly timings: pulumi.Output<{ [phase: string]: number }>;
    /** The rank that the others waited for, and why. */
    public readonly slowestRank: pulumi.Output<string>;
    /** Shell command that opens a shell on rank 0. */
    public readonly attachCommand: pulumi.Output<string>;
    /** Shell command that brings the port of the endpoint to localhost. */
    public readonly forwardCommand: pulumi.Output<string>;
    /** Shell command that shows rank 0's log. */
    public readonly logsCommand: pulumi.Output<string>;

    constructor(name: string, args: MiniClusterArgs, opts?: pulumi.ComponentResourceOptions) {
        super("flux-minicluster:index:MiniCluster", name, {}, opts);
        const options = childOptions(this, name, opts);
        // Programs in JavaScript may leave them out.
        args = given(args ?? {});
        const children = childrenOf(args);
        const { certificate: own, namespace, secretEnvironment: environment, spec: asked } = resolve(this, name, args);
        const access = clusterAccess(args);
        rememberAccess(this, args);

        const key = new CurveKey(`${name}-key`, { rotate: args.rotate }, options.child);
        const restful = restfulKeys(asked, key);
        const { headless, lead } = makeServices(name, { spec: asked, key, namespace, options: options.child });
        // The API server says it; the mocks of a user's unit tests don't.
        this.namespace = (lead.metadata.namespace as pulumi.Output<string | undefined>).apply(
            (said) => said ?? "default",
        );
        const spec = place(this, name, asked, this.namespace);
        const family = { spec, key, restful, namespace, options: options.child };
        const files = spec.apply(configFiles);
        const config = pulumi
            .all([spec, this.namespace, files])
            .apply(([of, namespace, content]) => configMap(of, namespace, content));
        const near = { access, lead: existing(lead), namespace: this.namespace, rotate: args.rotate };
        const pod = children.keygen === Keygen.Pod ? makeKeygenPod(name, family, near) : undefined;
        const certificate = makeCertificate(family, own, pod);
        const { secret, version } = secretOf(family, this.namespace, {
            certificate,
            environment,
            munge: mungeKey(asked, key),
        });
        const rights =
            children.keygen === Keygen.InitContainer ? makeKeyRights(name, family, children.serviceAccount) : [];
        const policy = children.networkPolicy ? [makeNetworkPolicy(name, family)] : [];
        const shared = children.services ? makeSharedServices(name, family) : [];

        this.name = spec.apply((of) => of.name);
        const located = pulumi.all([spec, this.namespace]);
        const indexedJob = new IndexedJob(
            `${name}-job`,
            {
                ...access,
                manifest: pulumi
                    .all([spec, this.namespace, files])
                    .apply(([of, namespace, content]) => job(of, namespace, content)),
                files: config,
                secret,
                lead: existing(lead),
                nonce: key.nonce,
                secretVersion: version,
                maxSize: spec.apply((of) => of.maxSize),
                autoscaled: options.autoscaled || undefined,
                triggers: args.triggers,
                rerunFailed: spec.apply((of) => of.rerunFailed),
                interrupt: spec.apply((of) => of.interrupt),
                deleteTimeout: spec.apply((of) => of.timeouts.delete),
            },
            { ...options.job, dependsOn: [headless, lead, ...rights, ...policy, ...shared] },
        );
        const status = new JobStatus(
            `${name}-status`,
            {
                ...access,
                job: indexedJob.id,
                size: spec.apply((of) => of.size),
                waitFor: spec.apply((of) => of.waitFor),
                ephemeral: spec.apply((of) => of.mode === "ephemeral"),
                suspend: spec.apply((of) => of.suspend),
                queued: spec.apply((of) => of.queueName !== undefined),
                expires: spec.apply((of) => of.ttlSecondsAfterFinished !== undefined || undefined),
                autoscaled: options.autoscaled || undefined,
                timeouts: spec.apply((of) => of.timeouts),
                maxBytes: spec.apply((of) => of.output.maxBytes),
                secretOutput: args.output?.secret || undefined,
            },
            options.status,
        );

        this.uid = indexedJob.id.apply((id) => id.split("/")[2]);
        this.phase = status.phase;
        this.exitCode = status.exitCode;
        this.output = status.output;
        this.nodes = status.nodes;
        this.timings = status.timings;
        this.slowestRank = status.slowest;
        this.endpoint = located.apply(([of, namespace]) => endpointOf(of, namespace));
        this.hosts = located.apply(([of, namespace]) => hostsOf(of, namespace));
        this.restfulUser = spec.apply((of) => (of.restful?.authentication ? of.restful.user : undefined));
        this.restfulToken = pulumi.secret(restful.apply((keys) => keys?.token));
        this.restfulSecretKey = pulumi.secret(restful.apply((keys) => keys?.secretKey));
        const commands = located.apply(([of, namespace]) => commandsFor(of, namespace));
        this.attachCommand = commands.attach;
        this.forwardCommand = commands.forward;
        this.logsCommand = commands.logs;
        this.registerOutputs({
            name: this.name,
            namespace: this.namespace,
            uid: this.uid,
            endpoint: this.endpoint,
            restfulUser: this.restfulUser,
            restfulToken: this.restfulToken,
            restfulSecretKey: this.restfulSecretKey,
            hosts: this.hosts,
            phase: this.phase,
            exitCode: this.exitCode,
            output: this.output,
            nodes: this.nodes,
            timings: this.timings,
            slowestRank: this.slowestRank,
            attachCommand: this.attachCommand,
            forwardCommand: this.forwardCommand,
            logsCommand: this.logsCommand,
        });
    }
}

/** A preview of a Service that doesn't exist yet has an invented address and UID, but no id: so these wait for it. */
function existing(lead: kubernetes.core.v1.Service) {
    const { metadata, spec } = lead;
    const known = <T>(value: pulumi.Output<T>) => pulumi.all([lead.id, value]).apply(([, of]) => of as T);
    return { name: metadata.name, uid: known(metadata.uid), address: known(spec.clusterIP) };
}

function endpointOf(spec: MiniClusterSpec, namespace: string): string {
    const host = `${namesOf(spec.name).lead}.${namespace}.svc.${spec.clusterDomain}`;
    if (spec.restful === undefined) {
        return `tcp://${host}:${spec.broker.port}`;
    }
    return `${spec.restful.tlsSecret === undefined ? "http" : "https"}://${host}:${spec.restful.port}`;
}

function hostsOf(spec: MiniClusterSpec, namespace: string): string[] {
    return Array.from({ length: spec.size }, (_, rank) => domainNameOf(spec.name, rank, namespace, spec.clusterDomain));
}

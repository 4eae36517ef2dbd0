import type { Unwrap } from "@pulumi/pulumi";

import { subdomainOf } from "../provider/contract/names";
import { BROKER_PORT, RESTFUL_PORT } from "../provider/contract/paths";
import { parseQuantity } from "../provider/contract/quantity";
import type { TimeoutsSpec } from "../provider/contract/timeouts";
import { OnDamage } from "./archiveArgs";
import { Interrupt, Keygen, type MiniClusterArgs, Network, Placement, ViewMethod, WaitFor } from "./args";
import type { ProgramArgs } from "./programArgs";

/** Arguments without Outputs; `environment` only has what isn't secret. */
export type PlainArgs = Unwrap<Omit<MiniClusterArgs, "context" | "kubeconfig" | "namespace" | "triggers">>;

type Texts = Readonly<Record<string, string>>;
type KubernetesObject = Readonly<Record<string, any>>;

/** What Flux schedules on in each rank; undefined where Flux detects it. */
export interface RankResources {
    readonly cores: number;
    readonly gpus: number;
}

/** A MiniCluster with everything decided; all text and all manifests are made from it. */
export interface MiniClusterSpec {
    readonly name: string;
    readonly image: string;
    readonly view?: ViewSpec;
    readonly mode: "ephemeral" | "persistent";
    readonly command: readonly string[];
    readonly launcher: boolean;
    readonly size: number;
    readonly minSize: number;
    readonly maxSize: number;
    readonly tasks?: number;
    readonly coresPerTask?: number;
    readonly gpusPerTask?: number;
    readonly rank?: RankResources;
    readonly environment: Texts;
    /** Names of the variables whose values are in the Secret. */
    readonly secretNames: readonly string[];
    readonly resources: { readonly limits: Texts; readonly requests: Texts };
    readonly sharedMemory?: string;
    readonly placement: Placement;
    readonly workingDirectory?: string;
    readonly imagePullPolicy?: string;
    readonly imagePullSecrets: readonly string[];
    readonly labels: Texts;
    readonly annotations: Texts;
    readonly jobAnnotations: Texts;
    readonly nodeSelector: Texts;
    readonly tolerations: readonly KubernetesObject[];
    readonly affinity?: KubernetesObject;
    readonly schedulerName?: string;
    readonly priorityClassName?: string;
    readonly runtimeClassName?: string;
    readonly serviceAccountName?: string;
    readonly automountServiceAccountToken: boolean;
    readonly podSecurityContext: KubernetesObject;
    readonly securityContext: KubernetesObject;
    readonly volumes: readonly VolumeSpec[];
    readonly user?: { readonly name: string; readonly uid: number };
    readonly network: Network;
    readonly fqdn: boolean;
    /** What follows the short host name in the full one, with its dot; "" where host names are short. */
    readonly hostSuffix: string;
    /** Where the full host names are, as far as the namespace is known and somebody needs them. */
    readonly subdomain?: string;
    readonly sidecars: readonly SidecarSpec[];
    readonly services: readonly ServiceSpec[];
    readonly hostNetwork: boolean;
    readonly serviceMesh: boolean;
    readonly networkPolicy: boolean;
    readonly clusterDomain: string;
    readonly hooks: Texts;
    readonly broker: BrokerSpec;
    /** Undefined where rank 0 runs something else, or nothing. */
    readonly restful?: RestfulSpec;
    /** Undefined where the queue ends with rank 0. */
    readonly archive?: ArchiveSpec;
    /** Seconds; 0 where running jobs are not waited for. */
    readonly drainTimeout: number;
    /** The MUNGE key: the cluster's own, or that in a Secret. Undefined where there is none. */
    readonly munge?: { readonly enabled: boolean; readonly secret?: string };
    readonly suspend: boolean;
    readonly queue?: string;
    readonly deadlineSeconds?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly backoffLimit: number;
    readonly terminationGracePeriodSeconds: number;
    readonly waitFor: WaitFor;
    readonly timeouts: TimeoutsSpec;
    readonly output: { readonly maxBytes: number; readonly secret: boolean };
    readonly rerunFailed: boolean;
    readonly interrupt: Interrupt;
    readonly podTemplate: KubernetesObject;
    /** Where the key comes from. */
    readonly key: KeySource;
    readonly rotate?: string;
    readonly keygen?: Keygen;
    readonly certificateSecret?: string;
}

/** Who makes the key, or where it is already. */
export type KeySource = Keygen | "certificate" | "secret";

export interface VolumeSpec {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly readOnly: boolean;
    readonly persistentVolumeClaim?: string;
    readonly secret?: string;
    readonly configMap?: string;
    readonly hostPath?: string;
    readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
    readonly items?: Texts;
    readonly projected?: readonly KubernetesObject[];
    readonly csi?: { readonly driver: string; readonly attributes?: Texts; readonly fsType?: string; readonly secret?: string };
    readonly image?: string;
    readonly source?: KubernetesObject;
}

export interface ViewSpec {
    readonly image: string;
    readonly prefix: string;
    readonly folders: readonly string[];
    readonly method: ViewMethod;
    readonly imagePullPolicy?: string;
}

export interface BrokerSpec {
    readonly logLevel: number;
    readonly topology?: string;
    readonly connectTimeout: string;
    readonly attributes: Texts;
    readonly config?: string;
    readonly port: number;
}

/** A container that isn't Flux'. */
export interface ProgramSpec {
    readonly name: string;
    readonly image: string;
    readonly command: readonly string[];
    readonly environment: Texts;
    readonly resources: { readonly limits: Texts; readonly requests: Texts };
    readonly securityContext: KubernetesObject;
}

export interface SidecarSpec extends ProgramSpec {
    readonly leadOnly: boolean;
}

export interface ServiceSpec extends ProgramSpec {
    readonly ports: readonly number[];
}

export interface ArchiveSpec {
    readonly persistentVolumeClaim?: string;
    readonly hostPath?: string;
    readonly source?: KubernetesObject;
    readonly folder: string;
    /** Seconds; 0 for none. */
    readonly period: number;
    readonly onDamage: OnDamage;
}

export interface RestfulSpec {
    readonly port: number;
    readonly workers: number;
    readonly authentication: boolean;
    readonly user: string;
    /** Peers of the NetworkPolicy. */
    readonly clients?: readonly KubernetesObject[];
    readonly rotate?: string;
    readonly version?: string;
    readonly requirements?: string;
    readonly indexUrl?: string;
    readonly tlsSecret?: string;
}

/** Largest value of a Kubernetes int32 field: as good as no limit. */
const NO_LIMIT = 2147483647;

/** True where texts other than manifests have full host names in them. */
export function needsNamespace({ fqdn, network }: MiniClusterSpec): boolean {
    return fqdn || network === Network.Hosts;
}

/** A spec whose namespace is known, which full host names need. */
export function placeSpec(spec: MiniClusterSpec, namespace: string): MiniClusterSpec {
    if (!needsNamespace(spec)) {
        return spec;
    }
    const subdomain = subdomainOf(spec.name, namespace, spec.clusterDomain);
    return { ...spec, subdomain, hostSuffix: spec.fqdn ? `.${subdomain}` : "" };
}

/** Decides everything that the arguments leave open. The only place with defaults. */
// oxlint-disable-next-line complexity -- a table, one default a line
export function resolveSpec(resource: string, args: PlainArgs, secretNames: readonly string[] = []): MiniClusterSpec {
    const command = args.command ?? [];
    const mode = command.length > 0 ? "ephemeral" : "persistent";
    const size = args.size ?? 1;
    const maxSize = args.maxSize ?? size;
    return {
        ...optional(args),
        name: args.name ?? resource,
        image: args.image,
        view: viewSpec(args.view),
        mode,
        command,
        launcher: args.launcher ?? false,
        size,
        minSize: args.minSize ?? (args.maxSize === undefined ? size : 1),
        maxSize,
        rank: rankResources(args),
        environment: args.environment ?? {},
        secretNames: [...secretNames].sort(),
        resources: { limits: args.resources?.limits ?? {}, requests: args.resources?.requests ?? {} },
        placement: args.placement ?? Placement.Spread,
        imagePullSecrets: args.imagePullSecrets ?? [],
        labels: args.labels ?? {},
        annotations: args.annotations ?? {},
        jobAnnotations: args.jobAnnotations ?? {},
        nodeSelector: args.nodeSelector ?? {},
        tolerations: args.tolerations ?? [],
        automountServiceAccountToken: args.automountServiceAccountToken ?? false,
        podSecurityContext: podSecurityContext({ ...userContext(userSpec(args.user)), ...args.podSecurityContext }),
        securityContext: args.securityContext ?? {},
        volumes: (args.volumes ?? []).map((volume) => ({ ...volume, readOnly: volume.readOnly ?? volume.image !== undefined })),
        sidecars: (args.sidecars ?? []).map((sidecar) => ({ ...programSpec(sidecar), leadOnly: sidecar.leadOnly ?? false })),
        services: (args.services ?? []).map((service) => ({ ...programSpec(service), ports: service.ports ?? [] })),
        user: userSpec(args.user),
        network: args.network ?? Network.Service,
        fqdn: args.fqdn ?? false,
        hostSuffix: "",
        hostNetwork: args.hostNetwork ?? false,
        serviceMesh: args.serviceMesh ?? false,
        networkPolicy: args.networkPolicy ?? false,
        clusterDomain: args.clusterDomain ?? "cluster.local",
        hooks: hooksSpec(args.hooks ?? {}),
        broker: brokerSpec(args.broker ?? {}),
        archive: args.archive ? archiveSpec(args.archive, args.name ?? resource) : undefined,
        drainTimeout: args.drainTimeout ?? 0,
        munge: args.munge || args.mungeSecret !== undefined ? { enabled: args.munge ?? true, secret: args.mungeSecret } : undefined,
        restful: mode === "persistent" || args.restful ? restfulSpec(args.restful ?? {}) : undefined,
        suspend: args.suspend ?? false,
        backoffLimit: args.backoffLimit ?? (mode === "ephemeral" ? 0 : NO_LIMIT),
        terminationGracePeriodSeconds: args.terminationGracePeriodSeconds ?? gracePeriod(mode, args),
        waitFor: args.waitFor ?? (mode === "ephemeral" ? WaitFor.Completed : WaitFor.Ready),
        timeouts: timeoutsSpec(args.timeouts ?? {}),
        output: { maxBytes: args.output?.maxBytes ?? 16384, secret: args.output?.secret ?? false },
        rerunFailed: args.rerunFailed ?? true,
        interrupt: args.interrupt ?? Interrupt.Refuse,
        podTemplate: args.podTemplate ?? {},
        key: keySource(args),
    };
}

/** What has no default. */
function optional(args: PlainArgs) {
    const { tasks, coresPerTask, gpusPerTask, sharedMemory, workingDirectory, imagePullPolicy, affinity } = args;
    const { schedulerName, priorityClassName, runtimeClassName, serviceAccountName } = args;
    const { queue, deadlineSeconds, ttlSecondsAfterFinished, certificateSecret, keygen, rotate } = args;
    return {
        tasks, coresPerTask, gpusPerTask, sharedMemory, workingDirectory, imagePullPolicy, affinity,
        schedulerName, priorityClassName, runtimeClassName, serviceAccountName,
        queue, deadlineSeconds, ttlSecondsAfterFinished, certificateSecret, keygen, rotate,
    };
}

function keySource({ certificate, certificateSecret, keygen }: PlainArgs): KeySource {
    if (certificate !== undefined) {
        return "certificate";
    }
    return certificateSecret === undefined ? (keygen ?? Keygen.Native) : "secret";
}

/** Only the limits tell what a container may really use, so only they are given to Flux as its resources. */
function rankResources(args: PlainArgs): RankResources | undefined {
    const limits: Texts = args.resources?.limits ?? {};
    const cpu = limits.cpu === undefined ? undefined : parseQuantity(limits.cpu);
    if (cpu === undefined) {
        return undefined;
    }
    const gpus = Object.entries(limits).filter(([name]) => name.endsWith("/gpu"));
    return {
        cores: Math.max(1, Math.floor(cpu)),
        gpus: gpus.reduce((sum, [, count]) => sum + (parseQuantity(count) ?? 0), 0),
    };
}

function viewSpec(view: PlainArgs["view"]): ViewSpec | undefined {
    if (view === undefined) {
        return undefined;
    }
    const { folders = [], image, imagePullPolicy, method = ViewMethod.Copy, prefix = "/opt/view" } = view;
    return { image, imagePullPolicy, prefix, folders, method };
}

function userSpec(user: PlainArgs["user"]): MiniClusterSpec["user"] {
    return user === undefined ? undefined : { name: user.name ?? "flux", uid: user.uid ?? 1000 };
}

/** A user of one's own never was root. */
function userContext(user: MiniClusterSpec["user"]): KubernetesObject {
    return user === undefined ? {} : { runAsUser: user.uid, runAsGroup: user.uid, runAsNonRoot: true };
}

/** Volumes belong to root: without a group of its own another user could not read the certificate. */
function podSecurityContext(context: KubernetesObject): KubernetesObject {
    const user = context.runAsUser;
    const needsGroup = typeof user === "number" && user !== 0 && context.fsGroup === undefined;
    return needsGroup ? { ...context, fsGroup: context.runAsGroup ?? user } : context;
}

/** A hook that isn't given has no file. */
function hooksSpec(hooks: NonNullable<PlainArgs["hooks"]>): Texts {
    const entries = Object.entries(hooks as Record<string, string | undefined>);
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function brokerSpec(broker: NonNullable<PlainArgs["broker"]>): BrokerSpec {
    return {
        logLevel: broker.logLevel ?? 3,
        topology: broker.topology,
        connectTimeout: broker.connectTimeout ?? "2s",
        attributes: broker.attributes ?? {},
        config: broker.config,
        port: broker.port ?? BROKER_PORT,
    };
}

/** What sidecars and services have in common. */
function programSpec({ command, environment, image, name, resources, securityContext }: Unwrap<ProgramArgs>): ProgramSpec {
    return {
        name,
        image,
        command: command ?? [],
        environment: environment ?? {},
        resources: { limits: resources?.limits ?? {}, requests: resources?.requests ?? {} },
        securityContext: securityContext ?? {},
    };
}

function archiveSpec({ folder, onDamage, period, ...source }: NonNullable<PlainArgs["archive"]>, cluster: string): ArchiveSpec {
    return { ...source, folder: folder ?? cluster, period: period ?? 60, onDamage: onDamage ?? OnDamage.SetAside };
}

/** Longer where the end has more to do: a persistent cluster cancels its jobs first, which may take 8 s (leave.sh). */
function gracePeriod(mode: MiniClusterSpec["mode"], { archive, drainTimeout }: PlainArgs): number {
    return (mode === "persistent" ? 20 : 10) + (drainTimeout ?? 0) + (archive ? 10 : 0);
}

function restfulSpec(restful: NonNullable<PlainArgs["restful"]>): RestfulSpec | undefined {
    const { authentication, enabled = true, port, user, workers, ...optional } = restful;
    if (!enabled) {
        return undefined;
    }
    return {
        ...optional,
        port: port ?? RESTFUL_PORT,
        workers: workers ?? 1,
        authentication: authentication ?? true,
        user: user ?? "flux",
    };
}

function timeoutsSpec(timeouts: NonNullable<PlainArgs["timeouts"]>): TimeoutsSpec {
    return {
        ready: timeouts.ready ?? 1800,
        completed: timeouts.completed,
        unschedulable: timeouts.unschedulable ?? 900,
        imagePull: timeouts.imagePull ?? 120,
        podCreation: timeouts.podCreation ?? 30,
        delete: timeouts.delete ?? 300,
    };
}

import type { Json } from "../../provider/contract/object";
import { readLabels } from "../metadata";
import { type Fields, filled, given, needless, type Reader, type Values } from "../reader";
import type { ReadContainer, withTemplate } from "../template";
import { readContainer } from "./container";
import { readInitContainers, readSidecars } from "./otherContainers";
import type { Replicas } from "./replicas";
import { readContexts } from "./security";
import { mountsOf, readVolumes } from "./volumes";

/** Fields of a pod that are arguments of the same names. */
const ARGUMENTS =
    "affinity hostIPC hostNetwork nodeSelector priorityClassName runtimeClassName schedulerName terminationGracePeriodSeconds tolerations";

/** Fields that only the pod template can have. */
const TEMPLATE =
    "activeDeadlineSeconds dnsConfig enableServiceLinks hostAliases hostPID hostUsers nodeName os overhead preemptionPolicy " +
    "priority readinessGates resourceClaims resources schedulingGates setHostnameAsFQDN shareProcessNamespace " +
    "topologySpreadConstraints";

type Parts = { readonly args: Values } & Parameters<typeof withTemplate>[1];

/** Reads the pod template of the ranks. */
export function readPod(reader: Reader, replicas: Replicas): Parts {
    const { path: outer, worker } = replicas;
    const path = `${outer}.template.spec`;
    const [, ...others] = worker.spec.containers as Fields[];
    const args: Values = {};
    const template: Values = {};
    readMetadata(reader, `${outer}.template.metadata`, worker.metadata ?? {}, args);
    reader.read(worker.spec, { ...podHandlers(reader, path, args, template), ...needlessOf(worker.spec) });
    const container = readContainer(reader, replicas);
    Object.assign(args, container.args, readContexts(reader, replicas));
    const mounts = mountsOf(replicas);
    const sidecars = others.map((fields, index) =>
        readSidecars(reader, `${path}.containers[${index + 1}]`, fields, mounts),
    );
    const inits = readInitContainers(reader, `${path}.initContainers`, worker.spec.initContainers ?? []);
    leaveTimeOfHooks(args, [container, ...sidecars]);
    readVolumes(reader, replicas, mounts, { args, container: container.template, template });
    args.sidecars = filled(sidecars.map((sidecar) => sidecar.args));
    const ofInits: ReadContainer[] = inits.map(({ name, ...rest }) => ({ args: { name }, template: rest }));
    return {
        args: given(args),
        template: given(template),
        container: given(container.template),
        sidecars: [...ofInits, ...sidecars],
    };
}

/** The grace period of Kubernetes. */
const GRACE = 30;

/** A cluster with preStop hooks adds its own seconds to Kubernetes' grace period, if the program doesn't give another one. */
function leaveTimeOfHooks(args: Values, containers: readonly { readonly template: Values }[]): void {
    const hasHook = containers.some(({ template }) => template.lifecycle?.preStop !== undefined);
    if (hasHook && args.terminationGracePeriodSeconds === GRACE) {
        args.terminationGracePeriodSeconds = undefined;
    }
}

/** Fields that are read elsewhere. */
function needlessOf(spec: Fields): Record<string, () => void> {
    const names = ["containers", "initContainers", "securityContext", "volumes"];
    return Object.fromEntries(names.filter((name) => spec[name] !== undefined).map((name) => [name, needless]));
}

function readMetadata(reader: Reader, path: string, metadata: Fields, args: Values): void {
    reader.read(metadata, {
        annotations: (value) => (args.podAnnotations = value),
        labels: (labels: Fields) => (args.podLabels = readLabels(reader, `${path}.labels`, labels)),
        creationTimestamp: needless,
        name: reader.without(`${path}.name`, "has no effect, as in the MPI Operator. Remove it."),
        namespace: reader.without(`${path}.namespace`, "has no effect, as in the MPI Operator. Remove it."),
    });
}

function podHandlers(
    reader: Reader,
    path: string,
    args: Values,
    template: Values,
): Record<string, (value: Json) => void> {
    const into = (target: Values) => (name: string) => [name, (value: unknown) => (target[name] = value)];
    const idle = (name: string) => [
        name,
        reader.without(`${path}.${name}`, "has no effect, as in the MPI Operator. Remove it."),
    ];
    return {
        ...Object.fromEntries(ARGUMENTS.split(" ").map(into(args))),
        ...Object.fromEntries(TEMPLATE.split(" ").map(into(template))),
        ...Object.fromEntries(["hostname", "hostnameOverride", "restartPolicy", "subdomain"].map(idle)),
        automountServiceAccountToken: (value) => (args.automountServiceAccountToken = value),
        // The operator sets the policy of pods in the nodes' network, as MiniCluster does.
        dnsPolicy: (value) => (template.dnsPolicy = args.hostNetwork ? undefined : value),
        ephemeralContainers: reader.without(`${path}.ephemeralContainers`, "can't be in a pod template. Remove it."),
        imagePullSecrets: (secrets: Fields[]) => (args.imagePullSecrets = secrets.map(({ name }) => name)),
        serviceAccount: (value) => useAccount(args, value),
        serviceAccountName: (value) => useAccount(args, value),
    };
}

/** Pods with an account of their own get its token, unless they say otherwise, as in Kubernetes. */
function useAccount(args: Values, name: string): void {
    if (name !== "") {
        args.serviceAccountName = name;
        args.automountServiceAccountToken ??= true;
    }
}

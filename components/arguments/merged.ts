import { isObject, type Json, type KubernetesObject, mergePatch } from "../../provider/contract/object";
import type { PlainArgs } from "../args";
import { ARGUMENTS } from "../generated/shapes";
import { fluxPatch } from "../parts/fluxContainer";
import { isOwn } from "../parts/metadata";
import type { Problem } from "../rules/problem";
import { ifAllKnown } from "./reading";
import { checkArguments } from "./shape";

type Template = KubernetesObject | undefined;

/** A field of the pod template that an argument covers. */
interface Field {
    /** Its path in `podTemplate`. */
    readonly path: string;
    read(template: Template): Json;
    /** The argument's value if `podTemplate` removes the field by null: the default of Kubernetes. */
    readonly removed?: unknown;
}

const inPod = (name: string, removed?: unknown): Field => ({
    path: `podTemplate.spec.${name}`,
    read: (template) => template?.spec?.[name],
    removed,
});
const inMetadata = (name: string): Field => ({
    path: `podTemplate.metadata.${name}`,
    read: (template) => othersIn(template?.metadata?.[name]),
});
const inFlux = (name: string, read = (container: KubernetesObject): Json => container[name]): Field => ({
    path: `podTemplate.spec.containers[flux].${name}`,
    read: (template) => {
        const container = fluxPatch(template);
        return container && read(container);
    },
});

/** The arguments whose value the pod template may give too. Rules and defaults take the value that the pods have. */
export const FIELDS: Readonly<Record<string, Field>> = {
    automountServiceAccountToken: inPod("automountServiceAccountToken"),
    fqdn: inPod("setHostnameAsFQDN"),
    hostIPC: inPod("hostIPC"),
    hostNetwork: inPod("hostNetwork"),
    image: inFlux("image"),
    imagePullPolicy: inFlux("imagePullPolicy"),
    nodeSelector: inPod("nodeSelector"),
    podAnnotations: inMetadata("annotations"),
    podLabels: inMetadata("labels"),
    podSecurityContext: inPod("securityContext"),
    priorityClassName: inPod("priorityClassName"),
    resources: inFlux("resources", ({ resources }) => amountsOf(resources)),
    runtimeClassName: inPod("runtimeClassName"),
    schedulerName: inPod("schedulerName"),
    securityContext: inFlux("securityContext"),
    serviceAccountName: inPod("serviceAccountName", "default"),
    // https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#lifecycle
    terminationGracePeriodSeconds: inPod("terminationGracePeriodSeconds", 30),
    tolerations: inPod("tolerations"),
};

/**
 * The arguments with what `podTemplate` changes of them. The pod template still gets the whole patch: it may also change
 * what other arguments and defaults make of these fields.
 */
export function merged(args: PlainArgs): PlainArgs {
    const fields = Object.entries(FIELDS).map(([name, field]) => [name, { get: () => valueOf(args, name, field) }]);
    return Object.create(args, Object.fromEntries(fields)) as PlainArgs;
}

function valueOf(args: PlainArgs, name: string, field: Field): unknown {
    const own: unknown = args[name as keyof PlainArgs];
    const part: unknown = field.read(args.podTemplate);
    if (part === undefined || part === null) {
        return part === null ? field.removed : own;
    }
    // Without the nulls of the patch, which remove something. Kubernetes refuses a value of another type, and no rule could
    // judge it.
    const value: unknown = mergePatch(own, part);
    return checkArguments({ [name]: value }, ARGUMENTS).length > 0 ? own : value;
}

/** Labels or annotations without the cluster's own, which a patch may change. */
function othersIn(map: Json): Json {
    return isObject(map) ? Object.fromEntries(Object.entries(map).filter(([name]) => !isOwn(name))) : map;
}

/** Resources with amounts in texts. They may have claims, of which no argument knows. */
function amountsOf(resources: Json): Json {
    if (!isObject(resources)) {
        return resources;
    }
    const textOf = (amount: Json): Json => (typeof amount === "number" ? `${amount}` : amount);
    const texts = (amounts: Json): Json =>
        isObject(amounts)
            ? Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, textOf(amount)]))
            : amounts;
    const known = ["limits", "requests"].filter((name) => resources[name] !== undefined);
    return Object.fromEntries(known.map((name) => [name, texts(resources[name])]));
}

/** The problems with the names of the fields in `podTemplate` from which wrong values come. */
export function withPaths(
    problems: readonly Problem[] | undefined,
    spec: { readonly podTemplate: KubernetesObject },
): readonly Problem[] | undefined {
    return problems?.map((problem) => {
        const [argument] = problem.property.split(/[.[]/);
        const field = Object.hasOwn(FIELDS, argument) ? FIELDS[argument] : undefined;
        const part: unknown = field && ifAllKnown(() => field.read(spec.podTemplate));
        const rest = problem.property.slice(argument.length);
        return field && has(part, rest) ? { ...problem, property: field.path + rest } : problem;
    });
}

/** True if a part of the template has a value at a path such as `.limits.cpu`. */
function has(part: unknown, path: string): boolean {
    if (part === undefined || part === null) {
        return false;
    }
    if (path === "" || Array.isArray(part) || typeof part !== "object") {
        return true;
    }
    const key = Object.keys(part).find((name) => path === `.${name}` || path.startsWith(`.${name}.`));
    return key !== undefined && has((part as KubernetesObject)[key], path.slice(key.length + 1));
}

import type { V1Container, V1Job, V1Pod, V1ResourceRequirements } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../../contract/names";
import { parseQuantity } from "../../contract/quantity";
import { SCRIPT_ENVIRONMENT } from "../../contract/scriptVariables";

/** How a LimitRange or a webhook has changed a pod when the API server admitted it. */
export interface Mutation {
    /** A part of a sentence, with a cure if there is one. */
    readonly text: string;
    /** True if it changes how the command runs: limits, images, containers that keep the pod from ending. */
    readonly isGrave: boolean;
}

/** A value of a container that differs from the Job's template. */
interface Change {
    readonly container: string;
    /** True if Flux counts with what the template has. */
    readonly isCounted?: boolean;
    /** For example `limits.cpu`. */
    readonly field: string;
    readonly asked?: string;
    readonly got?: string;
    /** From a LimitRange, which only gives values that are missing. */
    readonly isDefault?: boolean;
}

/** The annotation by which Kubernetes tells what a LimitRange gave, such as "cpu, memory limit for container flux". */
const LIMIT_RANGER = "kubernetes.io/limit-ranger";

const CURE = "Flux counts with the amounts of the program: give resources that admission keeps";

/** Compares a pod with the template of its Job; undefined if admission has changed nothing that matters. */
export function mutationOf({ metadata, spec }: V1Job, pod: V1Pod): Mutation | undefined {
    const asked = new Map(containersOf(spec?.template?.spec).map((container) => [container.name, container]));
    const got = asked.size === 0 ? [] : containersOf(pod.spec);
    const changes = got
        .flatMap((container) => changesOf(asked.get(container.name), container))
        .map((change) => ({ ...change, isDefault: isDefault(change, pod) }));
    const added = got.filter(({ name }) => !asked.has(name));
    const parts = [
        ...given(changes, metadata?.namespace ?? ""),
        ...changes.filter((change) => change.asked !== undefined).map(describe),
        ...added.map((container) => describeAdded(container, pod)),
    ];
    const cure = changes.some((change) => change.isCounted) ? `. ${CURE}` : "";
    return parts.length === 0 ? undefined : { text: parts.join("; ") + cure, isGrave: isGrave(changes, added, pod) };
}

function isLimit({ container, field }: Change): boolean {
    return container === FLUX_CONTAINER && field.startsWith("limits.");
}

function isGrave(changes: readonly Change[], added: readonly V1Container[], pod: V1Pod): boolean {
    return (
        changes.some((change) => change.isCounted || isLimit(change) || change.field === "image") ||
        added.some((container) => lasts(container, pod))
    );
}

function containersOf(spec: V1Pod["spec"]): V1Container[] {
    return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
}

function changesOf(asked: V1Container | undefined, got: V1Container): Change[] {
    if (asked === undefined) {
        return [];
    }
    const image = { container: got.name, field: "image", asked: asked.image, got: got.image };
    const amounts = (["limits", "requests"] as const).flatMap((kind) =>
        amountsIn(kind, asked.resources, got.resources).map((change) => ({
            container: got.name,
            isCounted: isCounted(asked, change.field),
            ...change,
        })),
    );
    return [...(image.asked === image.got ? [] : [image]), ...amounts];
}

/** Flux has the cores of the limit or else of the request, if the program says them, and the devices of the limits. */
function isCounted({ env = [], name, resources = {} }: V1Container, field: string): boolean {
    const [kind, resource] = [field.slice(0, field.indexOf(".")), field.slice(field.indexOf(".") + 1)];
    if (name !== FLUX_CONTAINER || resource !== "cpu") {
        return name === FLUX_CONTAINER && kind === "limits" && resource.includes("/");
    }
    const isTold = env.some((variable) => variable.name === SCRIPT_ENVIRONMENT.cores);
    return isTold && (kind === "limits" || resources.limits?.["cpu"] === undefined);
}

/** Kubernetes itself takes a missing request from the limit. */
function amountsIn(
    kind: "limits" | "requests",
    asked: V1ResourceRequirements = {},
    got: V1ResourceRequirements = {},
): Omit<Change, "container">[] {
    const [before, after] = [asked[kind] ?? {}, got[kind] ?? {}];
    const usual = (name: string) => before[name] ?? (kind === "requests" ? asked.limits?.[name] : undefined);
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
        .filter((name) => amount(usual(name)) !== amount(after[name]))
        .map((name) => ({ field: `${kind}.${name}`, asked: before[name], got: after[name] }));
}

function amount(text: string | undefined): number | undefined {
    return text === undefined ? undefined : parseQuantity(text);
}

function isDefault({ asked, container, field }: Change, { metadata }: V1Pod): boolean {
    const [kind, name] = [field.split(".")[0], field.slice(field.indexOf(".") + 1)];
    const said = metadata?.annotations?.[LIMIT_RANGER] ?? "";
    return (
        asked === undefined &&
        said
            .replace(/^LimitRanger plugin set: /, "")
            .split("; ")
            .map((part) => part.split(` ${kind.slice(0, -1)} for `))
            .some(([names, of]) => of?.endsWith(`container ${container}`) && names.split(", ").includes(name))
    );
}

/** Values that the template doesn't have, together for all containers that got the same ones. */
function given(changes: readonly Change[], namespace: string): string[] {
    const byGift = new Map<string, string[]>();
    for (const container of new Set(changes.map((change) => change.container))) {
        for (const isLimitRange of [true, false]) {
            const gifts = changes.filter(
                (change) =>
                    change.container === container && change.asked === undefined && change.isDefault === isLimitRange,
            );
            const giver = isLimitRange ? `the LimitRange of namespace ${namespace}` : "an admission webhook";
            const gift = `${giver} gave ${enumerate(gifts.map(({ field, got }) => `${field} ${got}`))} to`;
            byGift.set(gift, [...(byGift.get(gift) ?? []), ...(gifts.length === 0 ? [] : [container])]);
        }
    }
    return [...byGift].flatMap(([gift, names]) => (names.length === 0 ? [] : `${gift} ${containersNamed(names)}`));
}

function describe({ asked, container, field, got }: Change): string {
    const of = `${field} of ${containersNamed([container])}`;
    if (got === undefined) {
        return `an admission webhook removed ${of}, which was ${asked}`;
    }
    // A pod doesn't tell whether it was resized since.
    const who = /\.(cpu|memory)$/.test(field) ? "an admission webhook or a resize" : "an admission webhook";
    return `${who} changed ${of} from ${asked} to ${got}`;
}

function describeAdded(container: V1Container, pod: V1Pod): string {
    const added = "an admission webhook added the";
    if (lasts(container, pod)) {
        return `${added} container ${container.name}, and the pod ends only when it has ended too`;
    }
    return `${added} ${container.restartPolicy === "Always" ? "sidecar" : "init container"} ${container.name}`;
}

function lasts({ name }: V1Container, { spec }: V1Pod): boolean {
    return spec?.containers.some((container) => container.name === name) ?? false;
}

function containersNamed(names: readonly string[]): string {
    return `${names.length === 1 ? "the container" : "the containers"} ${enumerate(names)}`;
}

function enumerate(words: readonly string[]): string {
    return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

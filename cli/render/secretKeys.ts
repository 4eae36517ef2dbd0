import { FLUX_CONTAINER, namesOf } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
import { quote, word } from "../../provider/contract/paths";
import { CERTIFICATE_FILE } from "../../components/parts/paths";
import { VARIABLE } from "../../components/rules/patterns";

/** Lines that say how to make the Secret that a Job's pods need. None if they need none. */
export function secretRecipe(job: KubernetesObject): string[] {
    const { name, namespace } = job.metadata as { readonly name: string; readonly namespace: string };
    const { secret } = namesOf(name);
    const keys = [...new Set(keysIn(job, secret))].sort();
    if (keys.length === 0) {
        return [];
    }
    const files = keys.map((key) => `--from-file=${word(key)}`).join(" ");
    return [
        `The pods need the Secret ${secret}, whose values are not in this text. Make a file of each key first:`,
        ...keys.map((key) => `  ${recipeOf(key, name, job)}`),
        `  kubectl create secret generic ${word(secret)} --namespace=${word(namespace)} ${files}`,
    ].map((line) => line.replaceAll(/[\r\n]+/g, " "));
}

/** The keys of a Secret that an object mounts or has as variables. */
function keysIn(value: unknown, secret: string): string[] {
    if (typeof value !== "object" || value === null) {
        return [];
    }
    const { items = [], key, name, secretName } = value as Reference;
    const own = (secretName ?? name) === secret ? [...items.map((item) => item.key), ...(key ? [key] : [])] : [];
    return [...own, ...Object.values(value).flatMap((part) => keysIn(part, secret))];
}

/** A volume of a Secret, a part of such a volume, or a reference of a variable. */
interface Reference {
    readonly items?: readonly { readonly key: string }[];
    readonly key?: string;
    readonly name?: string;
    readonly secretName?: string;
}

function recipeOf(key: string, cluster: string, job: KubernetesObject): string {
    const file = word(key);
    if (key === CERTIFICATE_FILE) {
        const { namespace } = job.metadata as { readonly namespace: string };
        const { keygen } = namesOf(cluster);
        const names = `${word(keygen)} --namespace=${word(namespace)} --image=${word(imageOf(job))}`;
        // kubectl may attach after the first words, which are then lost. The line that it sends comes after that.
        const script = `read line && flux keygen --name=${word(cluster)} /tmp/key && cat /tmp/key`;
        const pod = `kubectl run ${names} --restart=Never --rm --stdin --quiet`;
        return `echo | ${pod} --command -- sh -c ${quote(script)} >${file}`;
    }
    const variable = /^env\.(.+)$/s.exec(key)?.[1];
    if (variable === undefined) {
        return `openssl rand -hex 64 | tr -d '\\n' >${file}`;
    }
    const value = VARIABLE.test(variable) ? `"$${variable}"` : quote(`the value of ${variable}`);
    return `printf %s ${value} >${file}`;
}

interface Container {
    readonly image: string;
    readonly name: string;
}

/** An image with Flux: that of the ranks, or of the init container that brings Flux into them. */
function imageOf({ spec }: KubernetesObject): string {
    const { containers, initContainers = [] } = spec.template.spec as Record<string, readonly Container[]>;
    const view = initContainers.find(({ name }) => name === "flux-view");
    return (view ?? containers.find(({ name }) => name === FLUX_CONTAINER))?.image ?? "IMAGE";
}

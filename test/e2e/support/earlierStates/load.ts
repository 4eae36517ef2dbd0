import { randomUUID } from "node:crypto";

import { type KubernetesObject, KubernetesObjectApi, PatchStrategy } from "@kubernetes/client-node";

import type { StateResource } from "../checkpoint";
import type { TestNamespace } from "../namespace";
import type { TestStack } from "../stack";
import { until } from "../until";
import { closeSecrets, fill, withoutMarks } from "./placeholders";
import { isKubernetes, MANAGER, plain, read, referenceOf, type Template, whole } from "./template";
import { derivedKeys, objectsOf, secretVersion, submissionHash } from "./values";

/** Makes the objects of an earlier release's state, and imports the state into a stack. */
export class Loader {
    private readonly template: Template;
    private readonly texts: Readonly<Record<string, string>>;
    private readonly live = new Map<string, any>();
    private readonly values: Map<string, string>;

    /** `keys` come from `newKeys`. */
    constructor(
        private readonly namespace: TestNamespace,
        release: string,
        private readonly name: string,
        keys: ReadonlyMap<string, string>,
    ) {
        this.template = read(release, name);
        this.texts = read(release, "texts");
        const { image, name: own } = namespace;
        const known: [string, string][] = [
            ["namespace", own],
            ["image", image],
            ["time", new Date().toISOString()],
        ];
        this.values = new Map([...keys, ...derivedKeys(keys), ...known]);
    }

    /** Returns the UID of the Job when it has the phase in the state. */
    async load(stack: TestStack): Promise<string> {
        const { namespace, template, values } = this;
        const objects = namespace.kube.config.makeApiClient(KubernetesObjectApi);
        for (const resource of template.resources.filter(isKubernetes)) {
            const body = this.fill(withoutMarks(resource.inputs)) as KubernetesObject;
            this.know(await objects.patch(body, undefined, undefined, MANAGER, true, PatchStrategy.ServerSideApply));
        }
        const { markKey, secret } = plain(template, "inputs", `::${this.name}-job`);
        values.set("secretVersion", secretVersion(this.fill({ markKey, secret })));
        for (const object of objectsOf(this.inputs("job"))) {
            this.know(await objects.create(object));
        }
        values.set("node", await until("the Job has the phase in the state", () => this.arrived()));
        await this.submit();
        await this.importInto(stack);
        return this.lookUp(`Job/${this.name} metadata.uid`);
    }

    private know(object: KubernetesObject): void {
        // The client returns dates as objects, and templates need them as texts.
        this.live.set(referenceOf(object), JSON.parse(JSON.stringify(object)));
    }

    /** Imports the state. Its secrets are plain, so it names the secrets provider that encrypts them. */
    private async importInto(stack: TestStack): Promise<void> {
        const opened = await stack.open();
        const { encryptedKey: encryptedkey, secretsProvider: url } = await opened.workspace.stackSettings(opened.name);
        const template = this.fill(this.template);
        const objectOf = (resource: StateResource) =>
            isKubernetes(resource) ? this.live.get(referenceOf(withoutMarks(resource.inputs))) : undefined;
        const resources = template.resources.map((resource) => whole(resource, objectOf(resource)));
        const secrets = { type: "cloud", state: { url, encryptedkey } };
        const deployment = { ...closeSecrets({ ...template, resources }), secrets_providers: secrets };
        await opened.importStack({ version: 3, deployment });
    }

    private fill<T>(tree: T): T {
        return fill(tree, (name) => this.values.get(name) ?? this.lookUp(name));
    }

    /** A text by its name, or a field of a Kubernetes object: `Service/hello metadata.uid`. */
    private lookUp(name: string): string {
        const [reference, path = ""] = name.split(" ");
        if (reference === "uuid") {
            this.values.set(name, randomUUID());
            return this.values.get(name) ?? "";
        }
        const field = () => path.split(".").reduce((at, key) => at?.[key], this.live.get(reference));
        const value = reference === "text" ? this.texts[path] : field();
        if (typeof value !== "string") {
            throw new Error(`The state of ${this.name} has a placeholder that nothing fills: ${name}.`);
        }
        return value;
    }

    /** The inputs of a child resource. */
    private inputs(part: string): any {
        return this.fill(plain(this.template, "inputs", `::${this.name}-${part}`));
    }

    /** The lead's node, or undefined before the Job has the phase in the state. */
    private async arrived(): Promise<string | undefined> {
        const { kube, name: namespace } = this.namespace;
        const { phase } = plain(this.template, "outputs", `::${this.name}-status`);
        const { status = {} } = await kube.batch.readNamespacedJob({ name: this.name, namespace });
        const ends: Readonly<Record<string, string>> = { failed: "Failed", succeeded: "Complete" };
        const hasEnded = status.conditions?.some((of) => of.type === ends[phase] && of.status === "True") ?? false;
        const isThere = phase in ends ? hasEnded : status.ready === this.inputs("status").size;
        const [lead] = isThere ? await this.namespace.pods(this.name) : [];
        return lead?.spec?.nodeName;
    }

    /** Submits the job or the array that the state has, and waits for its end. */
    private async submit(): Promise<void> {
        const { array, command, jobName, ...others } = this.inputs("task-submission");
        if (command === undefined) {
            return;
        }
        const hash = submissionHash({ array, command, jobName, ...others });
        const marks = [`key=${this.values.get("ticket")}`, `hash=${hash}`];
        for (let index = 0; index < (array?.count ?? 1); index++) {
            const all = array ? [...marks, `index=${index}`] : marks;
            const settings = all.map((mark) => `--setattr=user.minicluster.${mark}`);
            const words = ["flux", "submit", `--job-name=${jobName}`, ...settings, "--", ...command];
            const id = (await this.namespace.exec(this.name, words)).trim();
            this.values.set(`submission ${index}`, id.replace("ƒ", "f"));
            await this.namespace.exec(this.name, ["flux", "job", "wait-event", "--timeout=60s", id, "clean"]);
        }
    }
}

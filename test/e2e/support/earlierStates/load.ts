import { randomUUID } from "node:crypto";

import { type KubernetesObject, KubernetesObjectApi, PatchStrategy, type V1Job } from "@kubernetes/client-node";

import type { StateResource } from "../checkpoint";
import type { TestNamespace } from "../namespace";
import type { TestStack } from "../stack";
import { until } from "../until";
import { closeSecrets, fill, withoutMarks } from "./placeholders";
import { kubernetesResources, ownResource, readTemplate, readTexts, referenceOf, type Template } from "./template";
import { contentOf, derivedKeys, jobHash, secretVersion, submissionHash } from "./values";

/** Makes the objects of an earlier release's state, and imports the state into a stack. */
export class Loader {
    private readonly template: Template;
    private readonly texts: Record<string, string>;
    private readonly live = new Map<string, any>();
    private readonly values: Map<string, string>;

    /** `keys` come from `newKeys`. */
    constructor(
        private readonly namespace: TestNamespace,
        release: string,
        private readonly name: string,
        keys: ReadonlyMap<string, string>,
    ) {
        this.template = readTemplate(release, name);
        this.texts = readTexts(release);
        this.values = new Map([...keys, ...derivedKeys(keys)]);
    }

    /** Returns the Job when it has the phase in the state. */
    async load(stack: TestStack): Promise<V1Job> {
        const { values } = this;
        values
            .set("namespace", this.namespace.name)
            .set("image", this.namespace.image)
            .set("time", new Date().toISOString());
        for (const resource of kubernetesResources(this.template)) {
            this.live.set(this.fill(referenceOf(resource)), await this.apply(resource));
        }
        values.set("secretVersion", secretVersion(contentOf(this.inputs("secret")), values.get("key.secret") ?? ""));
        const job = await this.makeJob();
        values.set("job.uid", job.metadata?.uid ?? "");
        const node = await until("the Job has the phase in the state", () => this.arrived());
        values.set("node", node);
        await this.submit();
        await this.importInto(stack);
        return job;
    }

    /** Imports the state. Its secrets are plain, so it names the secrets provider that encrypts them. */
    private async importInto(stack: TestStack): Promise<void> {
        const opened = await stack.open();
        const { encryptedKey: encryptedkey, secretsProvider: url } = await opened.workspace.stackSettings(opened.name);
        const deployment = closeSecrets(this.fill(this.template.deployment));
        await opened.importStack({
            version: 3,
            deployment: { ...deployment, secrets_providers: { type: "cloud", state: { url, encryptedkey } } },
        });
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
        const value =
            reference === "text"
                ? this.texts[path]
                : path.split(".").reduce((at, key) => at?.[key], this.live.get(reference));
        if (typeof value !== "string") {
            throw new Error(`The state of ${this.name} has a placeholder that nothing fills: ${name}.`);
        }
        return value;
    }

    /** The inputs of a child resource. */
    private inputs(part: string): any {
        return this.fill(withoutMarks(ownResource(this.template, `::${this.name}-${part}`)?.inputs ?? {}));
    }

    /** Applies an object as the Kubernetes provider did, with the same field manager. */
    private async apply({ inputs, outputs }: StateResource): Promise<KubernetesObject> {
        const objects = this.namespace.kube.config.makeApiClient(KubernetesObjectApi);
        const { __fieldManager: manager } = withoutMarks(outputs) as { __fieldManager?: string };
        const body = this.fill(withoutMarks(inputs)) as KubernetesObject;
        const applied = await objects.patch(body, undefined, undefined, manager, true, PatchStrategy.ServerSideApply);
        // The client returns dates as objects, and templates need them as texts.
        return JSON.parse(JSON.stringify(applied)) as KubernetesObject;
    }

    private async makeJob(): Promise<V1Job> {
        this.values.set("job.hash", jobHash(this.inputs("job")));
        return this.namespace.kube.batch.createNamespacedJob({
            namespace: this.namespace.name,
            body: this.fill(this.template.job),
        });
    }

    /** The lead's node, or undefined before the Job has the phase in the state. */
    private async arrived(): Promise<string | undefined> {
        const { kube, name: namespace } = this.namespace;
        const { phase, size } = ownResource(this.template, `::${this.name}-status`)!.outputs as {
            phase: string;
            size: number;
        };
        const { status } = await kube.batch.readNamespacedJob({ name: this.name, namespace });
        const conditions: Readonly<Record<string, string>> = { failed: "Failed", succeeded: "Complete" };
        const wanted = conditions[phase];
        const isThere =
            wanted === undefined
                ? status?.ready === size
                : status?.conditions?.some(({ status: holds, type }) => type === wanted && holds === "True") === true;
        const [lead] = isThere ? await this.namespace.pods(this.name) : [];
        return lead?.spec?.nodeName;
    }

    /** Submits the job that the state has, and waits for its end. */
    private async submit(): Promise<void> {
        const { submitted } = this.template;
        if (submitted === undefined) {
            return;
        }
        this.values.set("submission.hash", submissionHash(this.inputs("task-submission")));
        const id = await this.namespace.exec(this.name, ["flux", "submit", ...this.fill([...submitted])]);
        this.values.set("submission.id", id.trim().replace("ƒ", "f"));
        await this.namespace.exec(this.name, ["flux", "job", "wait-event", "--timeout=60s", id.trim(), "clean"]);
    }
}

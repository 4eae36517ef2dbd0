/*
 * Takes the templates of a release's states into test/states/earlier/COMMIT. Run it once for each release, before the
 * first change after it:
 *
 *     git worktree add ../release COMMIT && cd ../release && npm ci && npm run build && cd -
 *     node --import tsx test/e2e/support/earlierStates/take.ts ../release [STATE...]
 *
 * It uses this checkout's cluster, Pulumi and image, and the release's package. A template has placeholders for all
 * keys, UIDs, addresses and times. Read the templates before you commit them.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { V1Job } from "@kubernetes/client-node";

import { TestNamespace } from "../namespace";
import type { TestStack } from "../stack";
import { blank, openSecrets, placeholder, withoutMarks } from "./placeholders";
import { makeCertificateSecret, STATES } from "./states";
import { kubernetesResources, ownResource, referenceOf, type Template, write } from "./template";
import { certificateOf, contentOf, derivedKeys, jobHash, newKeys, secretVersion, submissionHash } from "./values";

const PROGRAM = `
const { secret } = require("@pulumi/pulumi");
const { FluxJob, MiniCluster } = require("flux-minicluster");
const { args, certificate, job, name } = require("./state.json");
exports.cluster = new MiniCluster(name, { ...args, certificate: certificate && secret(certificate) });
exports.job = job && new FluxJob(name + "-task", { cluster: exports.cluster, ...job });
`;

/** Labels with the Job's UID or name that the Job controller adds. */
const ADDED_LABELS = [
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
];

/** Names of the files that are the same in the ConfigMaps of all clusters. */
const SCRIPT = /\.(py|sh|txt)$/;

const UUID = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

async function main(release: string, names: readonly string[]): Promise<void> {
    const commit = execFileSync("git", ["rev-parse", "--short=7", "HEAD"], { cwd: release, encoding: "utf8" }).trim();
    const namespace = new TestNamespace({});
    const texts: Record<string, string> = {};
    // In the release's folder, so that the program and Pulumi's hosts find the release's package.
    const folder = mkdtempSync(join(release, "program-"));
    writeFileSync(join(folder, "index.js"), PROGRAM);
    writeFileSync(join(folder, "package.json"), "{}");
    await namespace.make();
    try {
        mkdirSync(join("test", "states", "earlier", commit), { recursive: true });
        const keys = newKeys();
        await makeCertificateSecret(namespace, certificateOf(keys));
        for (const name of names) {
            console.log(name);
            write(commit, name, await takeState(namespace, name, { folder, keys, texts }));
        }
        write(commit, "texts", texts);
    } finally {
        await namespace.remove();
        rmSync(folder, { recursive: true });
    }
}

interface Surroundings {
    /** Folder of the program. */
    readonly folder: string;
    readonly keys: ReadonlyMap<string, string>;
    /** Collects the texts that all templates share. */
    readonly texts: Record<string, string>;
}

async function takeState(
    namespace: TestNamespace,
    name: string,
    { folder, keys, texts }: Surroundings,
): Promise<Template> {
    const { args, certificate, fails, job } = STATES[name];
    const given = {
        name,
        job,
        args: { image: namespace.image, ...args },
        certificate: certificate && certificateOf(keys),
    };
    writeFileSync(join(folder, "state.json"), JSON.stringify(given));
    const stack = namespace.stack(name, { dir: folder });
    try {
        await (fails ? stack.fails("up") : stack.up());
        return await makeTemplate(namespace, stack, name, { keys, texts });
    } finally {
        namespace.closeStacks();
    }
}

async function makeTemplate(
    namespace: TestNamespace,
    stack: TestStack,
    name: string,
    { keys, texts }: Omit<Surroundings, "folder">,
): Promise<Template> {
    const { deployment } = await (await stack.open()).exportStack();
    const { secrets_providers: _, ...rest } = deployment as Record<string, any>;
    const opened = openSecrets(rest) as Template["deployment"];
    const live = await namespace.kube.batch.readNamespacedJob({ name, namespace: namespace.name });
    const values = knownValues({ deployment: opened }, name, namespace, live);
    const template = {
        deployment: { ...opened, resources: opened.resources.map((resource) => stripped(resource, texts)) },
        job: asCreated(JSON.parse(JSON.stringify(live)) as V1Job),
        submitted: await submittedWords(namespace, name, values),
    };
    return blank(template, new Map([...keys, ...values]));
}

/** The values of this state that placeholders replace. */
function knownValues(
    template: Pick<Template, "deployment">,
    name: string,
    namespace: TestNamespace,
    live: V1Job,
): Map<string, string> {
    const outputs = (suffix: string): any => withoutMarks(ownResource(template, suffix)?.outputs ?? {});
    const [key, job, secret, pod, submission] = ["key", "job", "secret", "keygen", "task-submission"].map((part) =>
        outputs(`::${name}-${part}`),
    );
    const values = new Map([
        ["namespace", namespace.name],
        ["image", namespace.image],
        ["key.public", key.publicKey],
        ["key.secret", key.secretKey],
        ["key.nonce", key.nonce],
        ["job.uid", live.metadata?.uid ?? ""],
    ]);
    derivedKeys(values).forEach(([of, value]) => values.set(of, value));
    values.set("secretVersion", secretVersion(contentOf(secret), key.secretKey));
    values.set("job.hash", jobHash(job));
    const [, publicKey, secretKey] = /public-key = "(.*)"\n *secret-key = "(.*)"/.exec(pod.certificate ?? "") ?? [];
    const found = {
        "certificate.public": publicKey,
        "certificate.secret": secretKey,
        "submission.id": submission.jobId,
        ticket: submission.nonce,
    };
    Object.entries(found).forEach(([of, value]) => value && values.set(of, value));
    if (submission.nonce !== undefined) {
        values.set("submission.hash", submissionHash(withoutMarks(ownResource(template, "-submission")?.inputs)));
    }
    for (const resource of kubernetesResources(template)) {
        addObject(values, referenceOf(resource), withoutMarks(resource.outputs));
    }
    // The remaining UUIDs belong to Pulumi's providers.
    const others = JSON.stringify(template).match(UUID) ?? [];
    const unnamed = new Set(others.filter((uuid) => ![...values.values()].includes(uuid)));
    [...unnamed].forEach((uuid, index) => values.set(`uuid ${index}`, uuid));
    return values;
}

function addObject(values: Map<string, string>, reference: string, { metadata, spec }: any): void {
    values.set(`${reference} metadata.uid`, metadata.uid);
    if (spec?.clusterIP !== undefined && spec.clusterIP !== "None") {
        values.set(`${reference} spec.clusterIP`, spec.clusterIP);
    }
}

/** Removes data of the machine and moves scripts into the shared texts. */
function stripped(resource: any, texts: Record<string, string>): any {
    const { sourcePosition: _, stackTrace: _trace, ...rest } = resource;
    const isObject = resource.type.startsWith("kubernetes:");
    const strip = (key: string, value: any): unknown => {
        if (key === "managedFields") {
            return undefined;
        }
        if (isObject && key === "resourceVersion") {
            return placeholder(`${referenceOf(resource)} metadata.resourceVersion`);
        }
        if (key === "nodes" && typeof value === "object") {
            return Object.fromEntries(Object.keys(value).map((rank) => [rank, placeholder("node")]));
        }
        if (SCRIPT.test(key) && (texts[key] ?? value) === value) {
            texts[key] = value;
            return placeholder(`text ${key}`);
        }
        return value;
    };
    return JSON.parse(JSON.stringify(rest, strip));
}

/** A Job without the fields that the API server and the controllers add. */
function asCreated({ apiVersion = "batch/v1", kind = "Job", metadata, spec }: V1Job): V1Job {
    const { annotations, labels, name, namespace, ownerReferences } = metadata ?? {};
    const { selector: _, template, ...fields } = spec as NonNullable<V1Job["spec"]>;
    const own = Object.entries(template.metadata?.labels ?? {}).filter(([label]) => !ADDED_LABELS.includes(label));
    const { creationTimestamp: _time, ...about } = template.metadata ?? {};
    const made = { ...template, metadata: { ...about, labels: Object.fromEntries(own) } };
    return {
        apiVersion,
        kind,
        metadata: { annotations, labels, name, namespace, ownerReferences },
        spec: { ...fields, template: made },
    };
}

/** Words of `flux submit` that submit a job with the same command and attributes. */
async function submittedWords(
    namespace: TestNamespace,
    name: string,
    values: ReadonlyMap<string, string>,
): Promise<string[] | undefined> {
    const id = values.get("submission.id");
    if (id === undefined) {
        return undefined;
    }
    const { attributes, tasks } = JSON.parse(await namespace.exec(name, ["flux", "job", "info", id, "jobspec"]));
    const marks: Readonly<Record<string, string>> = attributes.user.minicluster;
    assert.deepEqual(marks, { key: values.get("ticket"), hash: values.get("submission.hash") });
    const settings = Object.entries(marks).map(([mark, value]) => `--setattr=user.minicluster.${mark}=${value}`);
    return [`--job-name=${name}-task`, "--setopt=cpu-affinity=off", ...settings, "--", ...tasks[0].command];
}

if (require.main === module) {
    const [release = ".", ...names] = process.argv.slice(2);
    void main(resolve(release), names.length > 0 ? names : Object.keys(STATES));
}

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
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { KubernetesObjectApi } from "@kubernetes/client-node";

import type { StateResource } from "../checkpoint";
import { TestNamespace } from "../namespace";
import { blank, openSecrets, placeholder, withoutMarks } from "./placeholders";
import { makeCertificateSecret, STATES } from "./states";
import { bare, isKubernetes, plain, referenceOf, type Template, write } from "./template";
import { certificateOf, derivedKeys, newKeys, objectsOf, secretVersion, submissionHash } from "./values";

const PROGRAM = `
const { secret } = require("@pulumi/pulumi");
const { FluxJob, MiniCluster } = require("flux-minicluster");
const { args, certificate, job, name } = require("./state.json");
exports.cluster = new MiniCluster(name, { ...args, certificate: certificate && secret(certificate) });
exports.job = job && new FluxJob(name + "-task", { cluster: exports.cluster, ...job });
`;

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
        const keys = newKeys();
        await makeCertificateSecret(namespace, certificateOf(keys));
        for (const name of names) {
            console.log(name);
            const { args, certificate, fails, job } = STATES[name];
            const all = { image: namespace.image, ...args };
            const program = { name, job, args: all, certificate: certificate && certificateOf(keys) };
            writeFileSync(join(folder, "state.json"), JSON.stringify(program));
            const stack = namespace.stack(name, { dir: folder });
            await (fails ? stack.fails("up") : stack.up());
            const { deployment } = await (await stack.open()).exportStack();
            const { secrets_providers: _, ...state } = openSecrets(deployment);
            await requireDerived(state, name, namespace);
            const values = new Map([...keys, ...knownValues(state, name, namespace)]);
            const resources = (state as Template).resources.map((resource) => shared(bare(resource), texts));
            write(commit, name, blank({ ...state, resources }, values));
            namespace.closeStacks();
        }
        write(commit, "texts", texts);
    } finally {
        await namespace.remove();
        rmSync(folder, { recursive: true });
    }
}

/** The values of this state that placeholders replace. */
function knownValues(state: Template, name: string, { image, name: namespace }: TestNamespace): Map<string, string> {
    const [job, key, keygen, submission] = ["job", "key", "keygen", "task-submission"].map((part) =>
        plain(state, "outputs", `::${name}-${part}`),
    );
    const [, publicKey, secretKey] = /public-key = "(.*)"\n *secret-key = "(.*)"/.exec(keygen.certificate) ?? [];
    const ids: readonly string[] = submission.jobIds ?? [submission.jobId];
    const found = {
        namespace,
        image,
        "key.public": key.publicKey,
        "key.secret": key.secretKey,
        "key.nonce": key.nonce,
        secretVersion: job.secretVersion,
        "certificate.public": publicKey,
        "certificate.secret": secretKey,
        ticket: submission.nonce,
        "ticket.key": submission.key,
        [`Job/${name} metadata.uid`]: plain(state, "inputs", `::${name}-status`).job.split("/")[2],
        ...Object.fromEntries(ids.map((id, index) => [`submission ${index}`, id])),
    };
    const values = new Map(Object.entries(found).filter(([, value]) => value !== undefined));
    derivedKeys(values).forEach(([of, value]) => values.set(of, value));
    for (const { outputs } of state.resources.filter(isKubernetes)) {
        const { spec, ...live } = withoutMarks(outputs);
        values.set(`${referenceOf(live)} metadata.uid`, live.metadata.uid);
        if (spec?.clusterIP !== undefined && spec.clusterIP !== "None") {
            values.set(`${referenceOf(live)} spec.clusterIP`, spec.clusterIP);
        }
    }
    // The remaining UUIDs belong to Pulumi's providers.
    const others = new Set(JSON.stringify(state.resources.map(bare)).match(UUID) ?? []);
    const unnamed = [...others].filter((uuid) => ![...values.values()].includes(uuid));
    unnamed.forEach((uuid, index) => values.set(`uuid ${index}`, uuid));
    return values;
}

/** Requires that `values.ts` computes what the release has computed. */
async function requireDerived(state: Template, name: string, namespace: TestNamespace): Promise<void> {
    const job = plain(state, "inputs", `::${name}-job`);
    assert.equal(job.secretVersion, secretVersion(job));
    await requireSame(job, namespace);
    const { jobId } = plain(state, "outputs", "-submission");
    if (jobId !== undefined) {
        const { attributes } = JSON.parse(await namespace.exec(name, ["flux", "job", "info", jobId, "jobspec"]));
        assert.equal(attributes.user.minicluster.hash, submissionHash(plain(state, "inputs", "-submission")));
    }
}

/** Requires that the marks, the owner and the lead's address in the cluster are those of `objectsOf`. */
async function requireSame(inputs: Record<string, any>, namespace: TestNamespace): Promise<void> {
    const objects = namespace.kube.config.makeApiClient(KubernetesObjectApi);
    for (const object of objectsOf(inputs) as any[]) {
        // The client returns its own classes.
        const live = JSON.parse(JSON.stringify(await objects.read(object)));
        // An elastic cluster adds annotations.
        const names = Object.keys(object.metadata.annotations);
        const shown = ({ metadata, spec }: any) => [
            names.map((name) => metadata.annotations[name]),
            metadata.ownerReferences,
            spec?.template.spec.hostAliases,
        ];
        assert.deepEqual(shown(live), shown(object), referenceOf(object));
    }
}

/** Moves scripts into the shared texts. */
function shared(resource: StateResource, texts: Record<string, string>): StateResource {
    const strip = (key: string, value: any): unknown => {
        if (key === "nodes" && typeof value === "object") {
            return Object.fromEntries(Object.keys(value).map((rank) => [rank, placeholder("node")]));
        }
        if (SCRIPT.test(key) && (texts[key] ?? value) === value) {
            texts[key] = value;
            return placeholder(`text ${key}`);
        }
        return value;
    };
    return JSON.parse(JSON.stringify(resource, strip));
}

if (require.main === module) {
    const [release = ".", ...names] = process.argv.slice(2);
    void main(resolve(release), names.length > 0 ? names : Object.keys(STATES));
}

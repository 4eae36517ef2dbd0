import { createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

import type { KubernetesObject } from "@kubernetes/client-node";

import { curveCertificate } from "../../../../provider/contract/curveKey";
import { makeKeyPair } from "../../../../provider/curveKey/keyPair";

/*
 * The values of a state that a template must not have, by the names of their placeholders. Derived values and objects are
 * computed here as in the release of the templates and not by the present code. If the present code computes another
 * value, the test must see a change.
 */

/** New keys for one test. */
export function newKeys(): Map<string, string> {
    const [own, other] = [makeKeyPair(), makeKeyPair()];
    return new Map([
        ["key.public", own.publicKey],
        ["key.secret", own.secretKey],
        ["key.nonce", randomBytes(8).toString("hex")],
        ["ticket", `n${randomBytes(8).toString("hex")}`],
        ["ticket.key", randomBytes(32).toString("hex")],
        ["certificate.public", other.publicKey],
        ["certificate.secret", other.secretKey],
    ]);
}

/** A user's certificate, with the second pair of keys. */
export function certificateOf(values: ReadonlyMap<string, string>): string {
    const [publicKey, secretKey] = ["public", "secret"].map((part) => values.get(`certificate.${part}`) ?? "");
    return curveCertificate("own", { publicKey, secretKey });
}

/** The secrets of the RESTful server, which are derived from the key. */
export function derivedKeys(values: ReadonlyMap<string, string>): [string, string][] {
    const derive = (purpose: string) =>
        Buffer.from(hkdfSync("sha256", values.get("key.secret") ?? "", "", `flux-minicluster ${purpose} `, 32));
    const names = ["restful.token", "restful.shared-key", "restful.signing-key"];
    return names.map((name) => [name, derive(name).toString("base64url")]);
}

/** The version of a Secret's content, which is an input of the IndexedJob. */
export function secretVersion({ markKey, secret }: Record<string, any>): string {
    const entries = Object.entries<string>(secret?.stringData ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return keyed(markKey, entries).slice(0, 16);
}

/** The ConfigMap, the Secret and the Job as an IndexedJob creates them. */
export function objectsOf(inputs: Record<string, any>): KubernetesObject[] {
    const { files, lead, manifest, nonce, secret, secretVersion: version = "" } = inputs;
    const owner = { apiVersion: "v1", kind: "Service", name: lead.name, uid: lead.uid };
    const made = ({ metadata, ...rest }: any, hash: string) => {
        const marks = { "flux-minicluster/nonce": nonce, "flux-minicluster/spec-hash": hash };
        const annotations = { ...metadata.annotations, ...marks };
        return { ...rest, metadata: { ...metadata, annotations, ownerReferences: [owner] } };
    };
    const { template } = manifest.spec;
    const hostAliases = [{ ip: lead.address, hostnames: [lead.name] }, ...(template.spec.hostAliases ?? [])];
    const pods = { ...template, spec: { ...template.spec, hostAliases } };
    return [
        made(files, hashed(files.data)),
        ...(secret ? [made(secret, version)] : []),
        made({ ...manifest, spec: { ...manifest.spec, template: pods } }, jobHash(inputs)),
    ];
}

/** The hash of a Job's content, in the Job's annotation. Another client decides on the size of an autoscaled Job. */
function jobHash({ lead, manifest, markKey, sizedBy, secretVersion: version = "", triggers = [] }: any): string {
    const { completions: _c, parallelism: _p, ...unsized } = manifest.spec;
    const content = sorted(sizedBy ? { ...manifest, spec: unsized } : manifest);
    const mark = triggers.length === 0 ? [] : keyed(markKey, triggers).slice(0, 16);
    return hashed([content, lead.address, "", version, mark]);
}

/** The inputs of a FluxSubmission that aren't content of the job in Flux. */
const BESIDE =
    /^(__provider|cluster|interrupt|jobName|key|maxBytes|nonce|rerunFailed|resourceUrn|secretOutput|timeouts|wait)$/;

/** The hash of a Flux job's content, in the job's attribute. */
export function submissionHash(inputs: Record<string, any>): string {
    const content = Object.entries(inputs).filter(([name, value]) => !BESIDE.test(name) && value !== null);
    const defaults = { environment: {}, secretEnvironment: {}, triggers: [] };
    return `k${keyed(inputs.key, sorted({ ...defaults, ...Object.fromEntries(content) })).slice(0, 32)}`;
}

function hashed(content: unknown): string {
    return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
}

function keyed(key: string, content: unknown): string {
    return createHmac("sha256", key).update(JSON.stringify(content)).digest("hex");
}

function sorted(value: any): any {
    if (typeof value !== "object" || value === null) {
        return value;
    }
    return Array.isArray(value)
        ? value.map(sorted)
        : Object.fromEntries(
              Object.keys(value)
                  .sort()
                  .map((key) => [key, sorted(value[key])]),
          );
}

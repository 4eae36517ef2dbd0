import { createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

import { curveCertificate } from "../../../../provider/contract/curveCertificate";
import { makeKeyPair } from "../../../../provider/curveKey/keyPair";

/*
 * The values of a state that a template must not have, by the names of their placeholders. Derived values are computed
 * here as in the release of the templates and not by the present code. If the present code computes another value, the
 * test must see a change.
 */

/** New keys for one test. */
export function newKeys(): Map<string, string> {
    const [own, other] = [makeKeyPair(), makeKeyPair()];
    return new Map([
        ["key.public", own.publicKey],
        ["key.secret", own.secretKey],
        ["key.nonce", randomBytes(8).toString("hex")],
        ["ticket", `n${randomBytes(8).toString("hex")}`],
        ["certificate.public", other.publicKey],
        ["certificate.secret", other.secretKey],
    ]);
}

/** A user's certificate, with the second pair of keys. */
export function certificateOf(values: ReadonlyMap<string, string>): string {
    return curveCertificate("own", {
        publicKey: values.get("certificate.public") ?? "",
        secretKey: values.get("certificate.secret") ?? "",
    });
}

/** The secrets of the RESTful server, which are derived from the key. */
export function derivedKeys(values: ReadonlyMap<string, string>): [string, string][] {
    const derive = (purpose: string) =>
        Buffer.from(hkdfSync("sha256", values.get("key.secret") ?? "", "", `flux-minicluster ${purpose} `, 32));
    return ["restful.token", "restful.shared-key", "restful.signing-key"].map((name) => [
        name,
        derive(name).toString("base64url"),
    ]);
}

/** The decoded texts of a Secret. */
export function contentOf({ data = {} }: { data?: Readonly<Record<string, string>> }): Record<string, string> {
    return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
    );
}

/** The version of a Secret's content, which is an input of the Job resource. */
export function secretVersion(content: Readonly<Record<string, string>>, keySecret: string): string {
    const entries = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1));
    return createHmac("sha256", keySecret).update(JSON.stringify(entries)).digest("hex").slice(0, 16);
}

/** The hash of a Job's content, as in the Job's annotation. */
export function jobHash({ lead, manifest, rerun, secretVersion: version, triggers }: Record<string, any>): string {
    const parts = [sorted(manifest), lead.address, rerun ?? "", version ?? "", triggers ?? []];
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/** The hash of a Flux job's content, as in the job's attribute. */
export function submissionHash(inputs: Record<string, any>): string {
    const {
        command,
        cores,
        environment,
        gpus,
        jobName,
        nodes,
        nonce,
        secretEnvironment,
        tasks,
        timeLimit,
        triggers,
        workingDirectory,
    } = inputs;
    const content = {
        command,
        cores,
        environment: environment ?? {},
        gpus,
        jobName,
        nodes,
        secretEnvironment: secretEnvironment ?? {},
        tasks,
        timeLimit,
        triggers: triggers ?? [],
        workingDirectory,
    };
    return `h${createHmac("sha256", nonce)
        .update(JSON.stringify(sorted(content)))
        .digest("hex")
        .slice(0, 16)}`;
}

function sorted(value: any): any {
    if (Array.isArray(value)) {
        return value.map(sorted);
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    return Object.fromEntries(
        Object.keys(value)
            .sort()
            .map((key) => [key, sorted(value[key])]),
    );
}

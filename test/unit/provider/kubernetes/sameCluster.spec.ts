import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isSameCluster, isSameServer } from "../../../../provider/kubernetes/sameCluster";
import { connect } from "../../../../provider/kubernetes/client";
import type { LeadService } from "../../../../provider/contract/lead";
import { useApi } from "../../support/fakeApi";

describe("isSameCluster", () => {
    const api = useApi();

    const isSame = (uid: string | undefined) => {
        const lead = { name: "lammps-lead", uid, address: "10.0.0.1" } as LeadService;
        const manifest = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "lammps", namespace: "hpc" } };
        return isSameCluster(connect({ kubeconfig: api.kubeconfig }), { lead, manifest });
    };

    it("compares the UIDs of the lead Service", async () => {
        api.put("services", { metadata: { name: "lammps-lead", uid: "service-uid" } });
        assert.equal(await isSame("service-uid"), true);
        assert.equal(await isSame("another"), false);
    });

    it("is false without the Service, even for a lead without a UID", async () => {
        assert.equal(await isSame("service-uid"), false);
        assert.equal(await isSame(undefined), false);
    });
});

describe("isSameServer", () => {
    const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
    const [one, another] = ["one", "another"].map((text) => Buffer.from(pem(text)).toString("base64"));

    const clientOf = (cluster: object, token: string) =>
        connect({
            kubeconfig: JSON.stringify({
                apiVersion: "v1",
                kind: "Config",
                clusters: [{ name: "c", cluster }],
                users: [{ name: "u", user: { token } }],
                contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
                "current-context": "c",
            }),
        });

    const tunnel = { server: "https://127.0.0.1:6443" };
    const trusted = { ...tunnel, "certificate-authority-data": one };
    const unverified = { ...tunnel, "insecure-skip-tls-verify": true };
    const cases: [string, object, object, boolean][] = [
        ["one address and one authority", trusted, { ...trusted, server: "https://127.0.0.1:6443/" }, true],
        ["one public address", { server: "https://hpc.example" }, { server: "https://hpc.example" }, true],
        ["one address and two authorities", trusted, { ...trusted, "certificate-authority-data": another }, false],
        ["one address and two server names", trusted, { ...trusted, "tls-server-name": "hpc" }, false],
        ["two addresses", trusted, { ...trusted, server: "https://127.0.0.1:7443" }, false],
        ["one address whose certificate isn't verified", unverified, unverified, false],
        ["one address without TLS", { server: "http://127.0.0.1:8001" }, { server: "http://127.0.0.1:8001" }, false],
    ];
    for (const [what, a, b, expected] of cases) {
        it(`is ${expected} for ${what}`, () => {
            assert.equal(isSameServer(clientOf(a, "old"), clientOf(b, "new")), expected);
        });
    }

    it("compares the content of an authority's file", () => {
        const folder = mkdtempSync(join(tmpdir(), "authority-"));
        const file = join(folder, "ca.crt");
        writeFileSync(file, `${pem("one")}\n`);
        const named = clientOf({ ...tunnel, "certificate-authority": file }, "old");
        assert.equal(isSameServer(named, clientOf(trusted, "new")), true);
        writeFileSync(file, `${pem("another")}\n`);
        assert.equal(isSameServer(named, clientOf(trusted, "new")), false);
        rmSync(folder, { recursive: true });
    });
});

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ANNOTATIONS } from "../../../../provider/contract/labels";
import { makeKeyPair } from "../../../../provider/curveKey/keyPair";
import { curveKey } from "../../../../provider/curveKey/verbs";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { useApi } from "../../support/fakeApi";
import { makeInputs } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";
import { operate } from "../../support/program";
import { decodeZ85 } from "../../support/z85";
import { publicKeyOf } from "../../support/x25519";

describe("makeKeyPair", () => {
    it("makes two keys of 40 Z85 characters, which Flux requires", () => {
        const { publicKey, secretKey } = makeKeyPair();
        const z85 = /^[0-9a-zA-Z.\-:+=^!/*?&<>()[\]{}@%$#]{40}$/;
        assert.match(publicKey, z85);
        assert.match(secretKey, z85);
    });

    it("makes a public key that belongs to the secret key", () => {
        for (let tries = 0; tries < 20; tries++) {
            const { publicKey, secretKey } = makeKeyPair();
            assert.deepEqual(decodeZ85(publicKey), publicKeyOf(decodeZ85(secretKey)));
        }
    });

    it("makes another key pair each time", () => {
        const keys = new Set(Array.from({ length: 50 }, () => makeKeyPair().secretKey));
        assert.equal(keys.size, 50);
    });
});

describe("publicKeyOf", () => {
    it("agrees with the test keys of ZeroMQ", () => {
        const secret = decodeZ85("JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6");
        assert.deepEqual(publicKeyOf(secret), decodeZ85("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"));
    });
});

describe("curveKey", () => {
    it("creates a key pair and a nonce, which is the id", async () => {
        const { id, outs } = await curveKey.create({ rotate: "1" });
        assert.deepEqual(Object.keys(outs), ["rotate", "publicKey", "secretKey", "nonce", "schemaVersion"]);
        assert.match(outs.nonce, /^[0-9a-f]{16}$/);
        assert.equal(id, outs.nonce);
    });

    it("makes a new key only if rotate changes", async () => {
        const { id, outs } = await curveKey.create({ rotate: "1" });
        assert.deepEqual(await curveKey.diff(id, outs, { rotate: "1" }), { changes: false, replaces: [] });
        assert.deepEqual(await curveKey.diff(id, outs, { rotate: "2" }), { changes: true, replaces: ["rotate"] });
        assert.deepEqual(await curveKey.diff(id, outs, {}), { changes: true, replaces: ["rotate"] });
    });

    it("keeps the key while rotate is unknown, because it may stay the same", async () => {
        const { id, outs } = await curveKey.create({ rotate: "1" });
        assert.deepEqual(await curveKey.diff(id, outs, { rotate: UNKNOWN }), { changes: true, replaces: [] });
    });

    describe("of a cluster", () => {
        const api = useApi();
        let folder: string;
        const { KUBECONFIG } = process.env;

        beforeEach(() => {
            folder = mkdtempSync(join(tmpdir(), "key-"));
        });

        afterEach(() => {
            process.env.KUBECONFIG = KUBECONFIG;
            if (KUBECONFIG === undefined) {
                delete process.env.KUBECONFIG;
            }
            rmSync(folder, { recursive: true });
        });

        /** A kubeconfig whose plugin runs this script. */
        function withPlugin(script: string): string {
            const command = join(folder, "plugin");
            writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
            const exec = { apiVersion: "client.authentication.k8s.io/v1", command, interactiveMode: "Never" };
            return JSON.stringify({ ...JSON.parse(api.kubeconfig), users: [{ name: "me", user: { exec } }] });
        }

        it("is refused in the preview if the kubeconfig can't be used, and shows no property", async () => {
            const { failures } = await curveKey.check(
                {},
                { cluster: "hpc", kubeconfig: api.kubeconfig, context: "old" },
            );
            assert.deepEqual(failures, [
                { property: "", reason: 'context "old" is not in the kubeconfig; it has fake.' },
            ]);
        });

        it("passes in the preview without running a plugin", async () => {
            const kubeconfig = withPlugin(`touch '${join(folder, "ran")}'; exit 1`);
            assert.deepEqual((await curveKey.check({}, { cluster: "hpc", kubeconfig })).failures, []);
            assert.equal(existsSync(join(folder, "ran")), false);
        });

        it("passes in the preview with a kubeconfig that isn't known or doesn't exist yet", async () => {
            process.env.KUBECONFIG = join(folder, "later");
            const path = { kubeconfig: join(folder, "not-yet.yaml"), context: "later" };
            for (const inputs of [{ kubeconfig: UNKNOWN }, { context: UNKNOWN }, {}, path]) {
                assert.deepEqual((await curveKey.check({}, { cluster: "hpc", ...inputs })).failures, []);
            }
        });

        it("is not created without a kubeconfig, because our resources would fail after the Services", async () => {
            process.env.KUBECONFIG = join(folder, "missing");
            await assert.rejects(curveKey.create({ cluster: "hpc" }), {
                message: new RegExp(`^The kubeconfig can't be read: there is none in ${folder}/missing, `),
            });
        });

        it("is not created with a path to no file, and is created when the file is there", async () => {
            const inputs = { cluster: "hpc", kubeconfig: join(folder, "not-yet.yaml") };
            await assert.rejects(curveKey.create(inputs), {
                message: new RegExp(
                    `^The kubeconfig can't be read: the argument kubeconfig is a path, and there is no file ${folder}/not-yet.yaml`,
                ),
            });
            writeFileSync(inputs.kubeconfig, api.kubeconfig);
            assert.match((await curveKey.create(inputs)).id, /^[0-9a-f]{16}$/);
        });

        it("is not created if a plugin fails, and then no request is made", async () => {
            const kubeconfig = withPlugin("echo log in first >&2; exit 1");
            const named = `the command ${join(folder, "plugin")}, which the kubeconfig names for its credentials,`;
            await assert.rejects(curveKey.create({ cluster: "hpc", kubeconfig }), {
                message: `${named} failed: log in first`,
            });
            assert.deepEqual(api.requests, []);
        });

        it("is not created if another stack has the name, and says whose it is", async () => {
            const annotations = { [ANNOTATIONS.nonce]: "feed", [ANNOTATIONS.stack]: "physics/dev" };
            api.put("services", { metadata: { name: "lammps-lead", annotations } });
            const inputs = { cluster: "lammps", namespace: "hpc", kubeconfig: api.kubeconfig };
            await assert.rejects(curveKey.create(inputs), {
                message:
                    "Service hpc/lammps-lead exists and belongs to another MiniCluster (stack physics/dev). Give the " +
                    "MiniCluster another name or namespace, or delete that one with its Services. " +
                    "docs/troubleshooting.md tells how a stack takes over a Job.",
            });
            assert.deepEqual(
                api.requests.filter((request) => !request.startsWith("GET ")),
                [],
            );
        });

        it("is created beside Services of its own stack, or of one that nothing names", async () => {
            const resourceUrn = "urn:pulumi:dev::physics::type::lammps-key";
            const inputs = { cluster: "lammps", namespace: "hpc", kubeconfig: api.kubeconfig, resourceUrn };
            for (const mark of [{ [ANNOTATIONS.stack]: "physics/dev" }, {}]) {
                const annotations = { [ANNOTATIONS.nonce]: "feed", ...mark };
                api.put("services", { metadata: { name: "lammps-lead", annotations } });
                assert.match((await curveKey.create(inputs)).id, /^[0-9a-f]{16}$/);
            }
        });

        it("is created if the Service can't be read", async () => {
            api.fail(/services/, 403, { times: 9, message: "services is forbidden" });
            const inputs = { cluster: "lammps", namespace: "hpc", kubeconfig: api.kubeconfig };
            assert.match((await curveKey.create(inputs)).id, /^[0-9a-f]{16}$/);
        });

        it("leaves the plugin's credential to the other resources", async () => {
            const ran = join(folder, "ran");
            // As the exec plugins that ask for the cluster: without it, this one fails.
            const kubeconfig = JSON.parse(
                withPlugin(
                    `case $KUBERNETES_EXEC_INFO in *'"server"'*) ;; *) exit 1 ;; esac\n` +
                        `echo run >>'${ran}'; echo '{"status":{"token":"t"}}'`,
                ),
            );
            kubeconfig.users[0].user.exec.provideClusterInfo = true;
            const access = { kubeconfig: JSON.stringify(kubeconfig) };
            await curveKey.create({ cluster: "lammps", ...access });
            assert.deepEqual(api.requests, ["GET /api/v1/namespaces/default/services/lammps-lead"]);
            api.put("services", { metadata: { name: "lammps-lead", uid: "service-uid" } });
            await indexedJob.create(makeInputs({}, access));
            assert.equal(readFileSync(ran, "utf8"), "run\n");
            assert.ok(api.requests.length > 0 && api.authorizations.every((header) => header === "Bearer t"));
        });
    });

    describe("delete", () => {
        const api = useApi();

        const place = () => ({ kubeconfig: api.kubeconfig, cluster: "lammps", namespace: "hpc" });
        const outputsOf = () => ({ ...makeInputs(), schemaVersion: 1, finished: true });
        const put = (name: string, nonce: string) =>
            api.put("services", { metadata: { name, annotations: { [ANNOTATIONS.nonce]: nonce } } });

        it("removes the Services that an interrupted creation has left, and no others", async () => {
            const { id, outs } = await curveKey.create(place());
            put("lammps-lead", outs.nonce);
            put("lammps", "feedfeedfeedfeed");
            await curveKey.delete(id, outs);
            assert.equal(api.get("services", "lammps-lead"), undefined);
            assert.ok(api.get("services", "lammps"));
        });

        describe("while a program runs", () => {
            const { argv } = process;

            beforeEach(async () => {
                newOperation();
                await operate(true);
            });

            afterEach(() => {
                process.argv = argv;
                newOperation();
            });

            const named = (resourceUrn: string) => ({ ...place(), resourceUrn });

            it("keeps the Services of a key that the update replaces, also after a rename", async () => {
                const { id, outs } = await curveKey.create(named("urn:before"));
                put("lammps", outs.nonce);
                await curveKey.check(named("urn:before"), named("urn:after"));
                await curveKey.delete(id, outs);
                assert.ok(api.get("services", "lammps"));
            });

            it("keeps them if only the outputs have the URN of before the rename", async () => {
                const { id, outs } = await curveKey.create(named("urn:before"));
                put("lammps", outs.nonce);
                await curveKey.check(named("urn:after"), named("urn:after"));
                await curveKey.diff(id, outs, named("urn:after"));
                await curveKey.delete(id, outs);
                assert.ok(api.get("services", "lammps"));
            });

            it("removes the Services of a cluster that has left the program and whose Services the state has lost", async () => {
                const { id, outs } = await curveKey.create(named("urn:gone"));
                put("lammps-lead", outs.nonce);
                await curveKey.check({}, named("urn:other"));
                await curveKey.delete(id, outs);
                assert.equal(api.get("services", "lammps-lead"), undefined);
            });
        });

        it("keeps a Service that owns the Job", async () => {
            const { id, outs } = await curveKey.create(place());
            const { metadata } = put("lammps-lead", outs.nonce);
            api.put("jobs", { metadata: { name: "lammps", ownerReferences: [{ uid: metadata.uid }] } });
            await curveKey.delete(id, outs);
            assert.ok(api.get("services", "lammps-lead"));
        });

        describe("with credentials that have expired", () => {
            const { KUBECONFIG } = process.env;
            const { log } = console;
            let said: string[];

            beforeEach(() => {
                process.env.KUBECONFIG = "/nowhere/kubeconfig";
                newOperation();
                api.accepts = (header) => header !== "Bearer expired";
                said = [];
                console.log = (line: string) => said.push(line);
            });

            afterEach(() => {
                console.log = log;
                newOperation();
                process.env.KUBECONFIG = KUBECONFIG;
                if (KUBECONFIG === undefined) {
                    delete process.env.KUBECONFIG;
                }
            });

            const expired = () => ({
                ...place(),
                kubeconfig: api.kubeconfig.replace("token-of-the-test", "expired"),
            });

            it("removes the Services with the current kubeconfig", async () => {
                const folder = mkdtempSync(join(tmpdir(), "curve-key-"));
                process.env.KUBECONFIG = join(folder, "config");
                writeFileSync(process.env.KUBECONFIG, api.kubeconfig);
                const { id, outs } = await curveKey.create(expired());
                put("lammps-lead", outs.nonce);
                put("lammps", outs.nonce);
                await curveKey.delete(id, outs);
                rmSync(folder, { recursive: true });
                assert.deepEqual(
                    [api.get("services", "lammps-lead"), api.get("services", "lammps")],
                    [undefined, undefined],
                );
                assert.deepEqual(said, []);
            });

            it("removes the Services with the credentials of the cluster's Job, which are newer", async () => {
                const { id, outs } = await curveKey.create(expired());
                put("lammps-lead", outs.nonce);
                await indexedJob.delete("hpc/lammps/uid", { ...outputsOf(), kubeconfig: api.kubeconfig });
                await curveKey.delete(id, outs);
                assert.equal(api.get("services", "lammps-lead"), undefined);
                assert.deepEqual(
                    said.filter((line) => line.includes("key")),
                    [],
                );
            });

            it("says how to find the Services if the cluster can't be asked, and leaves those of other keys", async () => {
                const { id, outs } = await curveKey.create(expired());
                const other = await curveKey.create(place());
                put("lammps", other.outs.nonce);
                await curveKey.delete(id, outs);
                assert.ok(api.get("services", "lammps"));
                assert.deepEqual(said, [
                    "lammps: The key is deleted, but the cluster can't be asked for Services that an interrupted creation may " +
                        "have left: HTTP status 401. Look for them: kubectl get services lammps-lead lammps -n hpc -o yaml. " +
                        `Delete those whose annotation ${ANNOTATIONS.nonce} is ${outs.nonce}: ` +
                        "kubectl delete services NAME -n hpc",
                ]);
            });
        });

        it("succeeds without an answer of the cluster, and for a key without a cluster", async () => {
            const { log } = console;
            const { id, outs } = await curveKey.create(place());
            api.fail(/services/, 403, { times: 9 });
            console.log = () => undefined;
            await curveKey.delete(id, outs);
            console.log = log;
            await curveKey.delete(id, { ...outs, cluster: undefined });
        });
    });

    it("keeps the key in an update and in a refresh", async () => {
        const { id, outs } = await curveKey.create({});
        assert.deepEqual((await curveKey.update(id, outs, {})).outs, outs);
        assert.deepEqual(await curveKey.read(id, outs), { id, props: outs, inputs: {} });
        await curveKey.delete(id, outs);
    });
});

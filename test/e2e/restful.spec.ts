import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";

import { MiniCluster, type RestfulArgs } from "flux-minicluster";

import { selfSigned } from "./support/certificate";
import { forward, type Forwarded } from "./support/forward";
import { MERGE } from "./support/liveCluster";
import { useNamespace } from "./support/namespace";
import { RestfulClient } from "./support/restful";
import type { Result, TestStack } from "./support/stack";
import { until } from "./support/until";

describe("RESTful server of a persistent MiniCluster", () => {
    const namespace = useNamespace();
    let stack: TestStack;
    let up: Result;
    let forwarded: Forwarded;
    let rotate = "first";

    before(async () => {
        stack = namespace.stack("serves", async () => {
            const cluster = new MiniCluster("serves", {
                image: namespace.image,
                metrics: {},
                size: 2,
                restful: { user: "ada", rotate },
            });
            const { endpoint, forwardCommand, phase, restfulSecretKey, restfulToken, restfulUser } = cluster;
            return { endpoint, forwardCommand, phase, restfulSecretKey, restfulToken, restfulUser };
        });
        up = await stack.up();
        forwarded = await forward(namespace, "serves", 5000);
    });

    after(() => forwarded.close());

    const client = (token = up.outputs.restfulToken) =>
        new RestfulClient(`http://127.0.0.1:${forwarded.port}`, "ada", token);

    it("answers at the endpoint as soon as the update returns", async () => {
        assert.equal(up.outputs.endpoint, `http://serves-lead.${namespace.name}.svc.cluster.local:5000`);
        assert.equal(
            up.outputs.forwardCommand,
            `kubectl port-forward -n ${namespace.name} service/serves-lead 5000:5000`,
        );
        const said = await namespace.exec("serves", ["bash", "-c", ANSWER, "_", "serves-lead"], 1);
        assert.match(said, /200 OK/);
    });

    it("runs a job on all ranks and returns its output", async () => {
        const { id } = await client().submit({ command: "hostname", num_tasks: "2", num_nodes: "2" });
        const output = await until("the job has printed", () => client().output(id));
        assert.deepEqual(output.join("").trim().split("\n").sort(), ["serves-0", "serves-1"]);
    });

    it("has the metrics at the lead's Service beside it", async () => {
        const scrape = "exec 3<>/dev/tcp/serves-lead/8052 && printf 'GET /metrics HTTP/1.1\\r\\n\\r\\n' >&3 && cat <&3";
        await until("both ranks are up, and the job has been counted", async () => {
            const text = await namespace.exec("serves", ["bash", "-c", scrape], 1);
            const values = ['flux_up{minicluster="serves"} 1', 'flux_ranks{minicluster="serves",state="up"} 2'];
            const isRight = [...values, 'flux_jobs{minicluster="serves",state="inactive"} 1'].every((line) =>
                text.includes(line),
            );
            return isRight ? true : undefined;
        });
    });

    it("refuses requests with a wrong token or no token", async () => {
        assert.equal((await client("wrong").logIn()).status, 400);
        assert.equal((await client().get("/v1/jobs", "Bearer wrong")).status, 401);
        assert.equal((await client().get("/v1/jobs")).status, 401);
    });

    it("accepts the handshake of flux-restful's own client", async () => {
        assert.match(await client().shakeHands(up.outputs.restfulSecretKey), /\./);
    });

    it("keeps its keys out of messages, files and the environment of jobs", async () => {
        const { restfulSecretKey, restfulToken } = up.outputs;
        for (const text of [stack.printed, ...stack.files()]) {
            assert(!text.includes(restfulToken) && !text.includes(restfulSecretKey));
        }
        const { id } = await client().submit({ command: "env" });
        const output = (await until("the job has printed", () => client().output(id))).join("");
        assert(!output.includes(restfulToken), output);
    });

    it("restarts when it is killed", async () => {
        await namespace.exec("serves", ["bash", "-c", `kill -9 "$(<"$MINICLUSTER_RUN/restful/pid")"`]);
        await until(
            "the server answers again",
            async () =>
                (
                    await client()
                        .logIn()
                        .catch(() => undefined)
                )?.ok || undefined,
        );
    });

    it("shows no changes in another update and refresh", () => stack.unchanged());

    it("gets a new token when rotate changes, and refuses the old token", async () => {
        const before = up.outputs;
        rotate = "second";
        up = await stack.up();
        forwarded.close();
        forwarded = await forward(namespace, "serves", 5000);
        assert.notEqual(up.outputs.restfulToken, before.restfulToken);
        assert.equal((await client(before.restfulToken).logIn()).status, 400);
        assert.equal((await client().logIn()).status, 200);
    });
});

describe("RESTful server", () => {
    const namespace = useNamespace();

    const stackOf = (name: string, restful: RestfulArgs) =>
        namespace.stack(name, async () => {
            const { endpoint, restfulToken } = new MiniCluster(name, { image: namespace.image, restful });
            return { endpoint, restfulToken };
        });

    /** Lets the kubelet look at a pod's Secrets at once: it does so at each change of a pod, else within a minute. */
    async function renewMounts(cluster: string): Promise<void> {
        const [{ metadata }] = await namespace.pods(cluster);
        const body = { metadata: { annotations: { renewed: "yes" } } };
        await namespace.kube.core.patchNamespacedPod(
            { name: metadata?.name ?? "", namespace: namespace.name, body },
            MERGE,
        );
    }

    /** When the lead's container started, and how often it was restarted. */
    async function startOf(cluster: string): Promise<object> {
        const [{ status }] = await namespace.pods(cluster);
        const [{ restartCount, state }] = status?.containerStatuses ?? [];
        return { restartCount, startedAt: state?.running?.startedAt };
    }

    it("serves HTTPS with the certificate of tlsSecret, and with a renewed one without a restart", async () => {
        const { core } = namespace.kube;
        const { certificate, key } = selfSigned("tls-lead");
        const named = { name: "web", namespace: namespace.name };
        const secret = (pair: { certificate: string; key: string }) => ({
            metadata: { name: "web" },
            type: "kubernetes.io/tls",
            stringData: { "tls.crt": pair.certificate, "tls.key": pair.key },
        });
        await core.createNamespacedSecret({ namespace: namespace.name, body: secret({ certificate, key }) });
        const { outputs } = await stackOf("tls", { tlsSecret: "web", port: 8443 }).up();
        assert.equal(outputs.endpoint, `https://tls-lead.${namespace.name}.svc.cluster.local:8443`);
        const forwarded = await forward(namespace, "tls", 8443);
        const logIn = (trusted: string) =>
            new RestfulClient(`https://127.0.0.1:${forwarded.port}`, "flux", outputs.restfulToken, trusted).logIn();
        const processes = ["bash", "-c", 'cat "$MINICLUSTER_RUN/restful/pid"; flux getattr broker.pid'];
        try {
            assert.equal((await logIn(certificate)).status, 200);
            const before = [await namespace.exec("tls", processes), await startOf("tls")];
            const renewed = selfSigned("tls-lead");
            await core.replaceNamespacedSecret({ ...named, body: secret(renewed) });
            await renewMounts("tls");
            await until("new connections get the renewed certificate", async () => {
                const answer = await logIn(renewed.certificate).catch(() => undefined);
                return answer?.ok || undefined;
            });
            await assert.rejects(logIn(certificate), /certificate/);
            assert.deepEqual([await namespace.exec("tls", processes), await startOf("tls")], before);
        } finally {
            forwarded.close();
        }
    });

    it("reports the cause if it can't be installed", async () => {
        const requirements = `flux-restful==9.9.9 --hash=sha256:${randomBytes(32).toString("hex")}\n`;
        const indexUrl = "https://127.0.0.1:1/simple";
        const { text } = await stackOf("none", { version: "9.9.9", requirements, indexUrl }).fails("up");
        assert.match(
            text,
            /can't start: the image has (no flux-restful|flux-restful \S+ and not) 9\.9\.9, and (no pip|pip can't install it: .*[Cc]onn)/,
        );
    });
});

/** Sends a request over bash's TCP socket, because an image may lack curl. */
const ANSWER = `exec 3<>"/dev/tcp/$1/5000"; printf 'GET /v1/auth HTTP/1.0\\r\\n\\r\\n' >&3; head -1 <&3`;

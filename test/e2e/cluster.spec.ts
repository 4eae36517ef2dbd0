import assert from "node:assert/strict";
import { Writable } from "node:stream";

import {
    BatchV1Api,
    CoreV1Api,
    DiscoveryV1Api,
    Exec,
    KubeConfig,
    type V1Job,
    type V1Pod,
    type V1Service,
} from "@kubernetes/client-node";

import { buildImages } from "../../scripts/local/images";
import { clusterUp } from "../../scripts/local";
import { sleep } from "../../scripts/local/run";

const image = "localhost/no-flux:dev";
const name = "pair";
const pods = 4;

/** A web server in Python, because the image has none. */
const server = `
import os, socket
server = socket.create_server(("", 8000))
while True:
    client, _ = server.accept()
    client.recv(1000)
    client.send(b"HTTP/1.0 200 OK\\r\\n\\r\\nhello from " + os.uname().nodename.encode())
    client.close()
`;
import { limit } from "../../scripts/tests/limits";

describe("local cluster", function () {
    this.timeout(180_000);
    const config = new KubeConfig();
    let core: CoreV1Api;
    let batch: BatchV1Api;
    let namespace: string;

    before(async () => {
        const cluster = await clusterUp();
        for (const { tar } of await buildImages()) {
            await cluster.importImage(tar);
        }
        config.loadFromFile(cluster.kubeconfig);
        core = config.makeApiClient(CoreV1Api);
        batch = config.makeApiClient(BatchV1Api);
        const created = await core.createNamespace({ body: { metadata: { generateName: "cluster-" } } });
        namespace = created.metadata?.name ?? "";
        await core.createNamespacedService({ namespace, body: headless });
        await core.createNamespacedService({ namespace, body: web });
        await batch.createNamespacedJob({ namespace, body: job });
        await eventually(async () => assert.equal((await runningPods()).length, pods));
    });

    after(async () => {
        if (namespace !== "") {
            await core.deleteNamespace({ name: namespace });
        }
    });

    it("resolves the host names of an Indexed Job's pods in each of these pods", async () => {
        const hosts = Array.from({ length: pods }, (_, index) => `${name}-${index}.${name}`);
        for (const pod of await runningPods()) {
            await eventually(async () => {
                const lines = (await inPod(pod, `getent hosts ${hosts.join(" ")}`)).trim().split("\n");
                assert.equal(lines.length, pods);
            });
        }
    });

    it("serves pod logs through the API server", async () => {
        for (const pod of await runningPods()) {
            const log = await core.readNamespacedPodLog({ name: nameOf(pod), namespace });
            assert.equal(log.trim(), `I am ${pod.metadata?.labels?.["batch.kubernetes.io/job-completion-index"]}`);
        }
    });

    it("routes requests from every pod to a Service", async () => {
        for (const pod of await runningPods()) {
            // A Service reaches a pod up to a second after the pod is ready.
            const patience = "--retry 10 --retry-delay 1 --retry-all-errors";
            assert.match(await inPod(pod, `curl --silent --max-time 5 ${patience} http://web`), /^hello from pair-\d$/);
        }
    });

    it("removes the pods and EndpointSlices of a deleted Job and its Services", async () => {
        await batch.deleteNamespacedJob({ name, namespace, propagationPolicy: "Background" });
        for (const service of [headless, web]) {
            await core.deleteNamespacedService({ name: service.metadata?.name ?? "", namespace });
        }
        await eventually(async () => {
            assert.equal((await core.listNamespacedPod({ namespace })).items.length, 0);
            assert.equal((await core.listNamespacedService({ namespace })).items.length, 0);
            const slices = await config.makeApiClient(DiscoveryV1Api).listNamespacedEndpointSlice({ namespace });
            assert.equal(slices.items.length, 0);
        });
    });

    async function runningPods(): Promise<V1Pod[]> {
        const { items } = await core.listNamespacedPod({ namespace });
        return items.filter((pod) => pod.status?.containerStatuses?.every(({ ready }) => ready));
    }

    function inPod(pod: V1Pod, script: string): Promise<string> {
        const chunks: Buffer[] = [];
        const output = new Writable({ write: (chunk: Buffer, _, done) => (chunks.push(chunk), done()) });
        const text = (): string => Buffer.concat(chunks).toString();
        return new Promise((resolve, reject) => {
            const command = ["bash", "-c", script];
            new Exec(config)
                .exec(namespace, nameOf(pod), "main", command, output, output, null, false, ({ status, message }) =>
                    status === "Success" ? resolve(text()) : reject(new Error(`${script}: ${message}: ${text()}`)),
                )
                .catch(reject);
        });
    }
});

const nameOf = (pod: V1Pod): string => pod.metadata?.name ?? "";

async function eventually(check: () => Promise<void>, seconds = 60): Promise<void> {
    for (const deadline = Date.now() + limit(seconds) * 1000; ; await sleep(200)) {
        try {
            return await check();
        } catch (error) {
            if (Date.now() > deadline) {
                throw error;
            }
        }
    }
}

const selector = { "job-name": name };

const headless: V1Service = {
    metadata: { name },
    spec: { clusterIP: "None", publishNotReadyAddresses: true, selector },
};

const web: V1Service = {
    metadata: { name: "web" },
    spec: { selector, ports: [{ port: 80, targetPort: 8000 }] },
};

const job: V1Job = {
    metadata: { name },
    spec: {
        completionMode: "Indexed",
        completions: pods,
        parallelism: pods,
        template: {
            spec: {
                subdomain: name,
                restartPolicy: "Never",
                terminationGracePeriodSeconds: 1,
                containers: [
                    {
                        name: "main",
                        image,
                        imagePullPolicy: "Never",
                        command: ["bash", "-c", 'echo "I am $JOB_COMPLETION_INDEX"; exec python3 -c "$SERVER"'],
                        env: [{ name: "SERVER", value: server }],
                        readinessProbe: { tcpSocket: { port: 8000 }, periodSeconds: 1 },
                    },
                ],
            },
        },
    },
};

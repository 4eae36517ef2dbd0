import type { V1Pod } from "@kubernetes/client-node";

import { isReady } from "./kube";
import type { TestNamespace } from "./namespace";
import { until } from "./until";

const PORT = 8000;

/** A web server in Python, because the image has none. */
const SERVER = `
import os, socket
server = socket.create_server(("", ${PORT}), family=socket.AF_INET6, dualstack_ipv6=True)
while True:
    client, _ = server.accept()
    client.recv(1000)
    client.send(b"HTTP/1.0 200 OK\\r\\n\\r\\nhello from " + os.uname().nodename.encode())
    client.close()
`;

/** A pod on a chosen node that answers with its name, and can ask other pods. */
export class WebPod {
    private constructor(
        private readonly namespace: TestNamespace,
        readonly name: string,
        readonly address: string,
    ) {}

    /** Creates the pod and waits until it answers. */
    static async start(namespace: TestNamespace, name: string, nodeName: string): Promise<WebPod> {
        const body: V1Pod = {
            metadata: { name, labels: labelsOf(name) },
            spec: {
                nodeName,
                terminationGracePeriodSeconds: 0,
                containers: [
                    {
                        name: "flux",
                        image: namespace.image,
                        imagePullPolicy: "Never",
                        command: ["python3", "-c", SERVER],
                        readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
                    },
                ],
            },
        };
        await namespace.kube.core.createNamespacedPod({ namespace: namespace.name, body });
        const pod = await until(`${name} is ready`, () => readyPod(namespace, name));
        return new WebPod(namespace, name, pod.status?.podIP ?? "");
    }

    get labels(): Record<string, string> {
        return labelsOf(this.name);
    }

    /** The answer of a pod or a Service. */
    get(address: string): Promise<string> {
        const host = address.includes(":") ? `[${address}]` : address;
        const command = ["curl", "--silent", "--show-error", "--max-time", "3", `http://${host}:${PORT}`];
        return this.namespace.kube.exec(this.namespace.name, this.name, command);
    }

    async reaches(other: WebPod): Promise<boolean> {
        return this.get(other.address).then(
            (answer) => answer.includes(other.name),
            () => false,
        );
    }

    /** Creates a Service for the pod. Returns its address when the Service has the pod's. */
    async expose(): Promise<string> {
        const { core, discovery } = this.namespace.kube;
        const namespace = this.namespace.name;
        const body = { metadata: { name: this.name }, spec: { selector: this.labels, ports: [{ port: PORT }] } };
        const { spec } = await core.createNamespacedService({ namespace, body });
        await until(`${this.name} is in the Service`, async () => {
            const labelSelector = `kubernetes.io/service-name=${this.name}`;
            const { items } = await discovery.listNamespacedEndpointSlice({ namespace, labelSelector });
            return items.some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready)) || undefined;
        });
        return spec?.clusterIP ?? "";
    }

    /** Waits until the pod runs again after its node was stopped. */
    async untilRestarted(): Promise<WebPod> {
        const { name, namespace } = this;
        const pod = await until(`${name} runs again`, async () => {
            const found = await readyPod(namespace, name);
            return found?.status?.containerStatuses?.[0]?.restartCount === 1 ? found : undefined;
        });
        return new WebPod(namespace, name, pod.status?.podIP ?? "");
    }
}

const labelsOf = (name: string): Record<string, string> => ({ app: name });

async function readyPod(namespace: TestNamespace, name: string): Promise<V1Pod | undefined> {
    const pod = await namespace.kube.core.readNamespacedPod({ name, namespace: namespace.name });
    return isReady(pod) ? pod : undefined;
}

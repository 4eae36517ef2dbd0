import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { leadSelector } from "../../../provider/contract/labels";
import { type Answering, onCall } from "./calls";
import { endOf, printed } from "./fakeExec";

/* A dependency of the Kubernetes client, which has no types. */
const { WebSocketServer } = require("ws") as { WebSocketServer: new (options: object) => any };

/** The answer to a call of job.sh. A number is an exit code, a text is the standard output. */
export type Answer =
    | string
    | number
    | { readonly code: number; readonly stdout: string; readonly stderr?: string }
    /** It gets no answer. */
    | { readonly never: true }
    /** The agent ends. */
    | { readonly ends: number; readonly why: string }
    /** Why the agent has no place for the request. */
    | { readonly busy: string };

/** The API server of a cluster whose lead is ready, and answers calls of job.sh. */
export class FakeLead {
    /** The words of each call, without the text of a program. */
    readonly calls: string[][] = [];
    /** The phase of the cluster's Job. */
    state: "ready" | "gone" | "refuses" | "suspended" = "ready";
    /** Fields of its Job and of the status of its pod. */
    job: { readonly metadata?: object; readonly spec?: object } = {};
    podStatus: object = {};
    /** Is called when its pods have been listed. */
    onLook: () => unknown = () => undefined;
    /** The UID of the namespace kube-system. */
    clusterUid = "cluster-uid";
    private readonly server: Server;
    /** The connections of commands. */
    readonly opened: any[] = [];

    constructor(private readonly answer: (words: readonly string[]) => Answer) {
        this.server = createServer((request, response) => {
            if (request.method === "PATCH") {
                this.job = {};
                this.state = "ready";
            }
            const { code, body } = this.get(request.url ?? "");
            response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
        });
        const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "v4.channel.k8s.io" });
        this.server.on("upgrade", (request, socket, head) => {
            sockets.handleUpgrade(request, socket, head, (opened: any) => {
                this.opened.push(opened);
                this.run(opened);
            });
        });
    }

    static async start(answer: (words: readonly string[]) => Answer): Promise<FakeLead> {
        const fake = new FakeLead(answer);
        await new Promise<void>((resolve) => fake.server.listen(0, "127.0.0.1", resolve));
        return fake;
    }

    async stop(): Promise<void> {
        this.opened.forEach((socket) => socket.terminate());
        this.server.closeAllConnections();
        await new Promise((resolve) => this.server.close(resolve));
    }

    get kubeconfig(): string {
        const server = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
        return JSON.stringify({
            clusters: [{ name: "fake", cluster: { server, "insecure-skip-tls-verify": true } }],
            users: [{ name: "me", user: {} }],
            contexts: [{ name: "fake", context: { cluster: "fake", user: "me" } }],
            "current-context": "fake",
        });
    }

    /** The names of the calls. */
    get called(): string[] {
        return this.calls.map(([name]) => name);
    }

    /** The request of the last call of array.py. */
    get request(): any {
        return JSON.parse(this.calls.at(-1)?.[1] ?? "");
    }

    private get(url: string): { code: number; body: object } {
        if (this.state === "refuses") {
            return { code: 403, body: { kind: "Status", code: 403, message: "forbidden" } };
        }
        if (url.endsWith("/namespaces/kube-system")) {
            return { code: 200, body: { metadata: { name: "kube-system", uid: this.clusterUid } } };
        }
        if (url.includes("/services/")) {
            return { code: 200, body: { metadata: { name: "lammps-lead", namespace: "hpc", uid: "service-uid" } } };
        }
        if (this.state === "gone") {
            const details = { name: url.split("/").at(-1) };
            return {
                code: 404,
                body: { kind: "Status", code: 404, reason: "NotFound", message: "not found", details },
            };
        }
        if (url.includes("/pods")) {
            const metadata = {
                name: "lammps-0-x",
                labels: leadSelector("lammps"),
                ownerReferences: [{ uid: "job-uid" }],
            };
            const ready = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
            const status = { phase: "Running", conditions: [ready], ...this.podStatus };
            this.onLook();
            return { code: 200, body: { items: [{ metadata, status }] } };
        }
        const ownerReferences = [{ kind: "Service", uid: "service-uid" }];
        const own = { name: "lammps", namespace: "hpc", uid: "job-uid", ownerReferences };
        const metadata = { ...own, ...this.job.metadata };
        return {
            code: 200,
            body: { metadata, spec: { suspend: this.state === "suspended", ...this.job.spec }, status: {} },
        };
    }

    private run(connection: any): void {
        onCall(connection, (words, socket) => {
            this.calls.push([...words]);
            reply(socket, this.answer(words));
        });
    }
}

function reply(socket: Answering, answer: Answer): void {
    if (typeof answer !== "object") {
        const [code, stdout] = typeof answer === "number" ? [answer, ""] : [0, answer];
        print(socket, code, stdout);
    } else if ("busy" in answer) {
        socket.refuse?.(answer.busy);
    } else if ("ends" in answer) {
        socket.end?.(answer.ends, answer.why);
    } else if ("code" in answer) {
        print(socket, answer.code, answer.stdout, answer.stderr);
    }
}

function print(socket: Answering, code: number, stdout: string, stderr = code === 0 ? "" : "flux: ERROR: no"): void {
    socket.send(printed(1, stdout));
    socket.send(printed(2, stderr));
    socket.send(endOf(code));
}

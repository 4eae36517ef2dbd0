import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type Group, examine, type Subject } from "../../../../cli/doctor/examination";
import type { Level } from "../../../../cli/doctor/finding";
import { describeHealth } from "../../../../cli/doctor/print";
import { setProgramName } from "../../../../cli/definition/programName";
import { leadSelector } from "../../../../provider/contract/labels";
import { connect, type Kube } from "../../../../provider/kubernetes/client";
import { root } from "../../../../scripts/local/paths";
import type { FakeApi } from "../../support/fakeApi";
import { endOf, printed } from "../../support/fakeExec";

setProgramName("minicluster");

/** What the doctor's script prints in the lead: lines of each request, or its exit code and lines. */
export type Said = Readonly<Record<"drained" | "facts" | "overlay" | "pending" | "queue", readonly [number, string]>>;

export const WELL: Said = {
    overlay: [0, "0 lammps-0: full\n1 lammps-1: full"],
    drained: [0, ""],
    queue: [0, "Job submission is enabled\nScheduling is started"],
    pending: [0, ""],
    facts: [0, [0, 1].map((rank) => factsOf(rank)).join("\n")],
};

/** The line of a rank that is asked for what it has. */
export function factsOf(rank: number, { began = 1000.2, took = 0.1, flux = "0.88.0", shm = "65536 KiB" } = {}): string {
    const values = [began, began + took, flux, shm, "6.1.0", "8", "max 100000"];
    return [`${rank}: facts`, ...values].join("\t");
}

export const CLUSTER: Subject = { namespace: "hpc", name: "lammps" };
export const NEW: Subject = { namespace: "hpc" };

const TEMPLATE = {
    metadata: { labels: { "job-name": "lammps", "batch.kubernetes.io/controller-uid": "job-uid", team: "physics" } },
    spec: {
        containers: [{ name: "flux", image: "registry.example/flux:1", resources: { requests: { cpu: "2" } } }],
        hostAliases: [{ ip: "10.96.0.7", hostnames: ["lammps-lead"] }],
        restartPolicy: "Never",
    },
};

/** A healthy cluster of two ranks on two nodes. */
export function putCluster(api: FakeApi): void {
    putJob(api);
    [0, 1].forEach((rank) => putPod(api, rank));
    [0, 1].forEach((index) => putNode(api, `node-${index}`));
    api.put("services", { metadata: { name: "lammps-lead" }, spec: { clusterIP: "10.96.0.7" } });
    api.put("services", { metadata: { name: "lammps" }, spec: { clusterIP: "None" } });
    putNames(api, ["lammps-0", "lammps-1"]);
    say(api, {});
}

export function putJob(api: FakeApi, spec: object = {}, more: object = {}): void {
    api.put("jobs", {
        metadata: { name: "lammps", uid: "job-uid" },
        spec: { parallelism: 2, completions: 2, template: TEMPLATE, ...spec },
        status: { active: 2, ready: 2 },
        ...more,
    });
}

/** The addresses of the headless Service. */
export function putNames(api: FakeApi, hosts: readonly string[]): void {
    const labels = { "kubernetes.io/service-name": "lammps" };
    const endpoints = hosts.map((hostname) => ({ hostname }));
    api.put("endpointslices", { metadata: { name: "lammps-x", labels }, endpoints });
}

/** A pod of the cluster, ready unless its status says otherwise. */
export function putPod(api: FakeApi, rank: number, status: object = {}, spec: object = {}, name?: string): void {
    const at = new Date().toISOString();
    const labels = { ...leadSelector("lammps"), "batch.kubernetes.io/job-completion-index": String(rank) };
    api.put("pods", {
        metadata: {
            name: name ?? `lammps-${rank}-x`,
            uid: name ?? `pod-${rank}`,
            labels,
            ownerReferences: [{ uid: "job-uid" }],
        },
        spec: { ...TEMPLATE.spec, nodeName: `node-${rank}`, ...spec },
        status: {
            phase: "Running",
            startTime: at,
            conditions: [
                { type: "PodScheduled", status: "True", lastTransitionTime: at },
                { type: "PodReadyToStartContainers", status: "True", lastTransitionTime: at },
                { type: "Ready", status: "True", lastTransitionTime: at },
            ],
            containerStatuses: [{ name: "flux", ready: true, started: true, state: { running: { startedAt: at } } }],
            ...status,
        },
    });
}

/** The status of a pod that has run for so many seconds, and whose broker has not joined. */
export function joining(seconds = 60): object {
    const startedAt = new Date(Date.now() - seconds * 1000).toISOString();
    return {
        conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: startedAt }],
        containerStatuses: [{ name: "flux", ready: false, started: false, state: { running: { startedAt } } }],
    };
}

/** The status of a pod without a node, and what its scheduler says. */
export function unscheduled(message: string): object {
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
    return { phase: "Pending", startTime: undefined, conditions: [condition], containerStatuses: undefined };
}

/** The status of a pod whose container waits. */
export function waiting(reason: string, message: string): object {
    const state = { waiting: { reason, message } };
    return { phase: "Pending", conditions: [], containerStatuses: [{ name: "flux", restartCount: 0, state }] };
}

/** The status of a pod whose scripts have reported an error, or which has ended otherwise. */
export function ended(exitCode: number, message = "", reason = "Error"): object {
    const startedAt = new Date().toISOString();
    const state = { terminated: { exitCode, message, reason, startedAt, finishedAt: startedAt } };
    return { phase: "Failed", conditions: [], containerStatuses: [{ name: "flux", state }] };
}

export function putNode(api: FakeApi, name: string, more: { spec?: object; status?: object } = {}): void {
    const amounts = { cpu: "8", memory: "16Gi", pods: "110" };
    api.put("nodes", {
        metadata: { name, namespace: undefined },
        spec: more.spec ?? {},
        status: {
            capacity: amounts,
            allocatable: amounts,
            conditions: [{ type: "Ready", status: "True" }],
            ...more.status,
        },
    });
}

export function putEvent(api: FakeApi, involvedObject: object, reason: string, message: string): void {
    api.put("events", {
        metadata: { name: `event-${api.requests.length}-${reason}-${message.length}` },
        involvedObject,
        reason,
        message,
        type: "Warning",
        lastTimestamp: new Date().toISOString(),
        source: { component: "kubelet" },
    });
}

/** Lets the lead answer so. */
export function say(api: FakeApi, said: Partial<Said>): void {
    api.serveCommands((socket, command) => {
        const mark = command.find((word) => word.startsWith("MARK="))?.slice("MARK=".length);
        const texts = Object.entries({ ...WELL, ...said }).map(
            ([name, [code, text]]) => `began 1000.1\n${text}\nended 1000.9\n${mark} ${name} ${code}\n`,
        );
        socket.send(printed(1, texts.join("")));
        socket.send(endOf(0));
    });
}

export function kubeFor(api: FakeApi): Kube {
    return connect({ kubeconfig: api.kubeconfig });
}

export function findings(groups: readonly Group[], level: Level): string[] {
    return groups.flatMap(({ findings: all, name }) =>
        all
            .filter((each) => each.level === level)
            .map(({ cure, text }) => `${name}: ${text}${cure ? ` | ${cure}` : ""}`),
    );
}

export function examined(api: FakeApi, subject: Subject): Promise<Group[]> {
    return examine(kubeFor(api), subject);
}

/** The page that walks through the groups. */
export const HANG = readFileSync(join(root, "docs", "hang.md"), "utf8");

/** Requires that docs/hang.md has a finding, by its number among those of its level, as it is printed. */
export function assertShown(groups: readonly Group[], level: Level, index: number): void {
    const some = groups.flatMap(({ findings: all, name }) =>
        all.filter((each) => each.level === level).map((each) => ({ name, findings: [each] })),
    );
    const [, ...lines] = describeHealth(CLUSTER, undefined, [some[index]]).split("\n");
    const shown = lines.slice(0, -2).join("\n");
    assert.ok(HANG.includes(shown), `docs/hang.md doesn't have\n${shown}`);
}

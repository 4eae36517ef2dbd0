import type { MiniClusterArgs, PlainArgs } from "../../components/args";
import { leadSelector } from "../../provider/contract/labels";
import type { Kube } from "../../provider/kubernetes/client";
import { condition } from "../../provider/kubernetes/job";
import { summarize } from "../../provider/observe/pods/pod";
import { watchList } from "../../provider/kubernetes/watch";
import { execute } from "./execute";
import { watcher } from "./measure";
import { plainObjects } from "./plainObjects";
import { miniCluster, removeObjects } from "./subject";
import { type CommandLine, nodeProgram, type Project, seconds, withStack } from "./workspace";

/** Seconds of one run, by operation. `end to return`: from the end of the command until `pulumi up` has returned. */
export type Deeds = Partial<Record<Deed, number>>;
export const DEEDS = [
    "first up",
    "end to return",
    "no-op up",
    "no-op preview",
    "first up, persistent",
    "resize up",
    "resize down",
    "destroy",
] as const;
export type Deed = (typeof DEEDS)[number];

interface Updates {
    /** The same objects, created without Pulumi for `first up` and with @pulumi/kubernetes alone for `no-op up`. */
    readonly plain: Deeds;
    /**
     * These objects and a dynamic resource that does nothing, because the host for dynamic resources takes most of the
     * difference between the two others. It has no `first up`: its Job never runs.
     */
    readonly floor: Deeds;
    readonly own: Deeds;
}

/** Measures updates of MiniClusters, and the references for them. */
export async function measureUpdates(kube: Kube, namespace: string, image: string, size: number): Promise<Updates> {
    const args = { image, size, command: ["hostname"], imagePullPolicy: "IfNotPresent" as const };
    const plain: Deeds = { "first up": await seconds(() => runWithoutPulumi(kube, namespace, image, size)) };
    const floor: Deeds = {};
    const own: Deeds = {};
    await removeObjects(kube, namespace);
    await withStack("run", clusterProject("run", { ...args, namespace }), async (stack) => {
        own["first up"] = await seconds(() => stack.up());
        const returned = Date.now() / 1000;
        own["end to return"] = returned - (await endOfCommand(kube, namespace, "run"));
        await withStack("plain", objectsProject("plain", namespace, args), async (plainStack) => {
            await plainStack.up();
            await withStack("floor", objectsProject("floor", namespace, args), async (floorStack) => {
                await floorStack.up();
                await changeNothing(plainStack, plain);
                await changeNothing(floorStack, floor);
                await changeNothing(stack, own);
            });
        });
    });
    const stays = { image, size, maxSize: 2 * size, imagePullPolicy: "IfNotPresent" as const };
    await withStack("stays", clusterProject("stays", { ...stays, namespace }), async (stack) => {
        own["first up, persistent"] = await seconds(() => stack.up());
        own["resize up"] = await resize(kube, namespace, 2 * size);
        own["resize down"] = await resize(kube, namespace, size);
        own.destroy = await seconds(() => stack.destroy());
    });
    return { plain, floor, own };
}

/** Measures commands without changes. */
export async function changeNothing(stack: CommandLine, deeds: Deeds): Promise<void> {
    deeds["no-op up"] = await seconds(() => stack.up());
    deeds["no-op preview"] = await seconds(() => stack.preview());
}

function objectsProject(folder: "floor" | "plain", namespace: string, args: PlainArgs): Project {
    return { settings: nodeProgram(folder), config: { objects: plainObjects(folder, namespace, args) } };
}

function clusterProject(name: string, args: MiniClusterArgs): Project {
    return { settings: nodeProgram("miniCluster"), config: { name, args: { restful: { enabled: false }, ...args } } };
}

/** Does the work of kubectl: creates the objects and the Job, and watches until the Job is complete. */
async function runWithoutPulumi(kube: Kube, namespace: string, image: string, size: number): Promise<void> {
    const created = await kube.createJob(namespace, await miniCluster(size, image).prepare(kube, namespace));
    const name = created.metadata?.name ?? "";
    const stop = new AbortController();
    const look = (job: typeof created) => {
        if (condition(job, "Complete") !== undefined) {
            stop.abort();
        }
    };
    await watchList<typeof created>(
        kube,
        { kind: "jobs", namespace, fieldSelector: `metadata.name=${name}` },
        watcher(look),
        stop.signal,
    );
}

/** When the command of a cluster has ended, in seconds since 1970, by the lead's clock. */
async function endOfCommand(kube: Kube, namespace: string, cluster: string): Promise<number> {
    const labelSelector = Object.entries(leadSelector(cluster))
        .map((pair) => pair.join("="))
        .join(",");
    const { items } = await kube.core.listNamespacedPod({ namespace, labelSelector });
    return Number(items.map(summarize)[0]?.terminated?.marks.ended);
}

/** Seconds from the patch of the Job until Flux has exactly so many free ranks; removed ranks are drained. */
async function resize(kube: Kube, namespace: string, size: number): Promise<number> {
    const agreed = `until [ "$(flux resource list -s free -no '{nnodes}')" = ${size} ]; do sleep 0.05; done`;
    return seconds(async () => {
        await kube.patchJob(namespace, "stays", { spec: { completions: size, parallelism: size } });
        await execute(kube, namespace, "stays", ["timeout", "60", "bash", "-c", agreed]);
    });
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { PlainArgs } from "../../../../components/args";
import { resolveSpec, validate } from "../../../../components/arguments/decide";
import { RESTFUL_KEYS } from "../../../../components/features/restful";
import { configFiles } from "../../../../components/pod/configMap";
import { job } from "../../../../components/pod/job";
import { ensurePrograms, podPrograms } from "../../../../scripts/local/packages";
import { curveCertificate } from "../../../../provider/contract/curveKey";
import { packedParts } from "../../../../provider/code/parts";
import type { Code } from "../../../../provider/contract/code/code";
import type { KubernetesObject } from "../../../../provider/contract/object";
import { hostOf } from "../../../../components/parts/hosts";
import { configName, namesOf } from "../../../../provider/contract/names";
import { makeKeyPair } from "../../../../provider/curveKey/keyPair";
import type { Ended } from "../flux";
import { fluxRoot } from "../root";
import { NAMESPACE } from "./environment";
import { addressOf, PodNetwork } from "./network";
import { Pod, type PodEnd, type PodPlan } from "./pod";
import type { Texts } from "./volumes";

/** Properties of a pod's image. */
export interface ImageOptions {
    /** Folders over the image's own files, the uppermost first. A character device 0:0 hides the file below it. */
    readonly layers?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    /** The image's user. @default root */
    readonly user?: { readonly uid: number; readonly gid: number };
    /** Sizes of volumes that are small disks, by mount path: `{ "/run/flux": "4m" }`. */
    readonly disks?: Readonly<Record<string, string>>;
    /** Data of further ConfigMaps and Secrets, by object name. */
    readonly texts?: Texts;
}

const IMAGE_ENV = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" };
/** Keys of the RESTful server. */
const RESTFUL_TEXTS = Object.fromEntries(Object.values(RESTFUL_KEYS).map((key) => [key, `the ${key} of a test`]));
/** A folder over the files of all images, for tests by hand. */
const LAYER = process.env["FLUX_TEST_LAYER"];

/** A `before` hook that provides the image. It may have to be built, which takes longer than a test may. */
export async function provideImage(this: Mocha.Context): Promise<void> {
    this.timeout(300_000);
    await fluxRoot();
}

/** Runs an action with a cluster. The error of a failed action has the output of the pods. */
export async function withPods<T>(
    args: Partial<PlainArgs>,
    action: (cluster: PodCluster) => Promise<T>,
    image?: ImageOptions,
): Promise<T> {
    const cluster = await PodCluster.create(args, image);
    try {
        return await action(cluster);
    } catch (error) {
        throw new Error(`${error instanceof Error ? error.stack : String(error)}\n${cluster.report()}`, {
            cause: error,
        });
    } finally {
        await cluster.remove();
    }
}

/** The parts of the code, as the provider makes them. */
async function partsOf(code: Code | undefined, manifest: KubernetesObject): Promise<Texts> {
    const parts = code === undefined ? [] : await packedParts({ code, manifest });
    return Object.fromEntries(
        parts.map(({ binaryData, metadata }) => [metadata.name, { part: Buffer.from(binaryData.part, "base64") }]),
    );
}

/** The pods of a MiniCluster from its manifests, without Kubernetes. */
export class PodCluster {
    /** The current pod of each rank. */
    readonly pods: Pod[] = [];
    private readonly all: Pod[] = [];
    private started = 0;

    private constructor(
        readonly name: string,
        private readonly plan: Omit<PodPlan, "folder" | "name" | "rank" | "removals">,
        private readonly folder: string,
    ) {}

    static async create(
        args: Partial<PlainArgs>,
        { disks, env = {}, layers = [], texts: others, user }: ImageOptions = {},
    ): Promise<PodCluster> {
        const name = "mc";
        const spec = resolveSpec(name, { image: "localhost/flux:dev", restful: { enabled: false }, ...args });
        const problems = validate(spec);
        if (problems.length > 0) {
            throw new Error(JSON.stringify(problems));
        }
        const files = configFiles(spec);
        const { spec: podSpec } = job(spec, NAMESPACE, files).spec.template;
        // In a cluster, the provider adds this alias when the Service has its address.
        podSpec.hostAliases = [{ ip: addressOf(0), hostnames: [namesOf(name).lead] }, ...(podSpec.hostAliases ?? [])];
        const texts = {
            [configName(name, files)]: files,
            [namesOf(name).secret]: { "curve.cert": curveCertificate(name, makeKeyPair()), ...RESTFUL_TEXTS },
            ...(await partsOf(spec.code?.found.code, job(spec, NAMESPACE, files))),
            ...others,
        };
        const image = { ...IMAGE_ENV, ...env };
        const all = [...(LAYER === undefined ? [] : [LAYER]), ...layers, await fluxRoot()];
        await ensurePrograms(podPrograms);
        const folder = mkdtempSync(join(tmpdir(), "pods-"));
        return new PodCluster(
            name,
            { disks, image, layers: all, user, network: await PodNetwork.create(), podSpec, texts },
            folder,
        );
    }

    /** Starts the pods of some ranks in parallel. A new pod replaces the rank's earlier one. */
    async start(...ranks: readonly number[]): Promise<Pod[]> {
        return Promise.all(ranks.map((rank) => this.startPod(rank)));
    }

    /** Starts the pods of all ranks and waits until they are ready. */
    async up(size: number): Promise<void> {
        const pods = await this.start(...Array.from({ length: size }, (_, rank) => rank));
        await Promise.all(pods.map((pod) => pod.ready()));
    }

    private async startPod(rank: number): Promise<Pod> {
        await this.pods[rank]?.remove();
        const folder = join(this.folder, `${rank}-${this.started++}`);
        const removals = this.all.filter(({ plan }) => plan.rank === rank).length;
        const pod = await Pod.start({ ...this.plan, name: hostOf(this.name, rank), rank, removals, folder });
        this.all.push(pod);
        this.pods[rank] = pod;
        return pod;
    }

    rank(rank: number): Pod {
        const pod = this.pods[rank];
        if (pod === undefined) {
            throw new Error(`There is no pod of rank ${rank}.`);
        }
        return pod;
    }

    /** Runs `flux …` in the lead's pod. Fails if the command fails. */
    async flux(...words: string[]): Promise<string> {
        const { code, stderr, stdout } = await this.tryFlux(...words);
        if (code !== 0) {
            throw new Error(`flux ${words.join(" ")} ended with ${code}: ${stderr}${stdout}`);
        }
        return stdout.trim();
    }

    tryFlux(...words: string[]): Promise<Ended> {
        return this.rank(0).exec("flux", ...words).ended;
    }

    /** Deletes all pods in parallel, as the garbage collector does after their Job is deleted. */
    destroy(): Promise<PodEnd[]> {
        return Promise.all(this.pods.map((pod) => pod.delete()));
    }

    /** The events, the message and the output of each pod. */
    report(): string {
        const texts = this.all.map(({ container, message, plan, steps }) =>
            [`${plan.name}: ${steps.join(", ")}`, message, container.output].join("\n"),
        );
        return texts.join("\n");
    }

    /** Removes all pods, their network and their folder. */
    async remove(): Promise<void> {
        await Promise.all(this.all.map((pod) => pod.remove()));
        await this.plan.network.remove();
        rmSync(this.folder, { recursive: true, force: true });
    }
}

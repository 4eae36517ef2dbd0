import { certificateProblem } from "../contract/certificateCheck";
import { FLUX_CONTAINER } from "../contract/names";
import { cancellation } from "../engine/cancel";
import { reporter, warner } from "../engine/log";
import { requireSameCluster } from "../kube/sameCluster";
import { connect, type Kube, retry } from "../kube/client";
import { isUnknown } from "../unknown";
import { defined, pick, type Verbs } from "../verbs";
import { completePod, createOrAdopt, type PodId, removePod } from "./pod";
import { INPUT_NAMES, type KeygenPodInputs, type KeygenPodOutputs } from "./resource";
import { awaitEnd } from "./wait";

const SCHEMA_VERSION = 1;

const WARNING =
    'keygen "pod" prints the key to the log of a pod for some moments. Whatever collects the logs of this Kubernetes cluster ' +
    'may keep it, and so may its nodes. Use keygen "native" or "initContainer" where that matters.';

/*
 * check   warns where a key will be printed
 * diff    replaces when `rotate` changes; the same key does for all else
 * create  runs the pod, or takes over the one that an interrupted create left, reads and checks its log, removes it
 * read    has nothing to look at: the key only lives in the stack's state
 * delete  has nothing to do: the pod is gone, or goes with the lead Service
 */
export const keygenPod: Verbs<KeygenPodInputs, KeygenPodOutputs> = {
    async check(olds, news) {
        if (olds.manifest === undefined || olds.rotate !== news.rotate) {
            const name = isUnknown(news.manifest) ? "keygen" : (news.manifest.metadata.name as string);
            warner(news.resourceUrn, name)(WARNING);
        }
        return { inputs: news };
    },
    async diff(_id, olds, news) {
        const rotated = olds.rotate !== news.rotate;
        return { changes: rotated, replaces: rotated ? ["rotate"] : [] };
    },
    async create(inputs) {
        const kube = connect(inputs);
        await requireSameCluster(kube, inputs);
        const certificate = await makeCertificate(kube, inputs);
        const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
        return { id: `${namespace}/${name}`, outs: defined({ ...inputs, certificate, schemaVersion: SCHEMA_VERSION }) };
    },
    async read(id, props) {
        return { id, props, inputs: pick<KeygenPodInputs>(props, INPUT_NAMES) };
    },
    async update(_id, olds, news) {
        return { outs: defined({ ...news, certificate: olds.certificate, schemaVersion: SCHEMA_VERSION }) };
    },
    async delete() {},
};

/** The pod doesn't outlive this, whatever happens in it. */
async function makeCertificate(kube: Kube, inputs: KeygenPodInputs): Promise<string> {
    const pod = await createOrAdopt(kube, completePod(inputs), inputs.timeouts.delete);
    try {
        await awaitEnd(kube, pod, inputs.timeouts, reporter(inputs.resourceUrn, pod.name), cancellation());
        return await certificateOf(kube, pod);
    } finally {
        await removePod(kube, pod, inputs.timeouts.delete);
    }
}

/** What isn't a certificate may still hold a key, so it isn't shown. */
async function certificateOf(kube: Kube, { name, namespace }: PodId): Promise<string> {
    const log = await retry(() => kube.core.readNamespacedPodLog({ name, namespace, container: FLUX_CONTAINER }));
    const problem = certificateProblem(log);
    if (problem !== undefined) {
        throw new Error(`What ${name} printed ${problem}. It should be what flux keygen writes, and nothing else.`);
    }
    return log;
}

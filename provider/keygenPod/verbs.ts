import { certificateProblem } from "../contract/certificateCheck";
import { FLUX_CONTAINER } from "../contract/names";
import { cancellation } from "../host/cancel";
import { reporter, warner } from "../host/log";
import { connect, type Kube, retry } from "../kubernetes/client";
import { requireSameCluster } from "../kubernetes/sameCluster";
import { isUnknown, mayEqual } from "../host/unknown";
import { defined, type Verbs } from "../host/verbs";
import { inputsOf } from "../host/inputs";
import { completePod, createOrAdopt, type PodId, removePod } from "./pod";
import { OUTPUTS, type KeygenPodInputs, type KeygenPodOutputs } from "./properties";
import { awaitEnd } from "./wait";

const SCHEMA_VERSION = 1;

const WARNING =
    'keygen "pod" prints the key to the log of a pod, which is deleted some moments later. Log collectors and nodes of ' +
    'this Kubernetes cluster may keep the key. Use keygen "native" or "initContainer" to avoid that.';

/*
 * check   warns if a key will be printed
 * diff    replaces the resource when `rotate` changes; any other change keeps the key
 * create  runs the pod, or adopts that of an interrupted create; reads and checks its log; deletes the pod
 * read    does nothing: the key is only in the stack's state
 * delete  does nothing: the pod was deleted, or Kubernetes removes it with the lead Service
 */
export const keygenPod: Verbs<KeygenPodInputs, KeygenPodOutputs> = {
    async check(olds, news) {
        if (olds.manifest === undefined || !mayEqual(olds.rotate, news.rotate)) {
            const name = isUnknown(news.manifest) ? "keygen" : (news.manifest.metadata.name as string);
            warner(news.resourceUrn, name)(WARNING);
        }
        return { inputs: news };
    },
    async diff(_id, olds, news) {
        // An unknown value may be the old one, and the certificate would be lost for nothing.
        const rotated = !mayEqual(olds.rotate, news.rotate);
        return { changes: olds.rotate !== news.rotate, replaces: rotated ? ["rotate"] : [] };
    },
    async create(inputs) {
        const kube = connect(inputs);
        await requireSameCluster(kube, inputs);
        const certificate = await makeCertificate(kube, inputs);
        const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
        return { id: `${namespace}/${name}`, outs: defined({ ...inputs, certificate, schemaVersion: SCHEMA_VERSION }) };
    },
    async read(id, props) {
        return { id, props, inputs: inputsOf(props, OUTPUTS) };
    },
    async update(_id, olds, news) {
        return { outs: defined({ ...news, certificate: olds.certificate, schemaVersion: SCHEMA_VERSION }) };
    },
    async delete() {},
};

/** Makes a certificate with a pod, and deletes the pod in any case. */
async function makeCertificate(kube: Kube, inputs: KeygenPodInputs): Promise<string> {
    const pod = await createOrAdopt(kube, completePod(inputs), inputs.timeouts.delete);
    try {
        await awaitEnd(kube, pod, inputs.timeouts, reporter(inputs.resourceUrn, pod.name), cancellation());
        return await certificateOf(kube, pod);
    } finally {
        await removePod(kube, pod, inputs.timeouts.delete);
    }
}

/** The certificate in the pod's log. An error doesn't show a log that is no certificate, because it may hold a key. */
async function certificateOf(kube: Kube, { name, namespace }: PodId): Promise<string> {
    const log = await retry(() => kube.core.readNamespacedPodLog({ name, namespace, container: FLUX_CONTAINER }));
    const problem = certificateProblem(log);
    if (problem !== undefined) {
        throw new Error(`The output of ${name} ${problem}. It must be what flux keygen writes, and nothing else.`);
    }
    return log;
}

import { randomBytes } from "node:crypto";

import { namesOf } from "../contract/names";
import { programRuns } from "../engine/program";
import { preload } from "../kube/preload";
import { removeRemains } from "../remains/removal";
import { inputsOf } from "../inputs";
import { mayEqual } from "../unknown";
import type { Verbs } from "../verbs";
import { makeKeyPair } from "./keyPair";
import { type CurveKeyInputs, type CurveKeyOutputs, OUTPUTS } from "./properties";

const SCHEMA_VERSION = 1;

/*
 * create  makes the key pair and the nonce
 * update  keeps the key pair
 * diff    replaces the resource when `rotate` changes
 * delete  removes Services that no state has; the key itself is only in the stack's state
 */
export const curveKey: Verbs<CurveKeyInputs, CurveKeyOutputs> = {
    async check(_olds, news) {
        return { inputs: news };
    },
    async diff(_id, olds, news) {
        preload();
        // An unknown value may be the old one, and the key would be lost for nothing.
        const rotated = !mayEqual(olds.rotate, news.rotate);
        return { changes: olds.rotate !== news.rotate, replaces: rotated ? ["rotate"] : [] };
    },
    async create(inputs) {
        preload();
        const nonce = randomBytes(8).toString("hex");
        return { id: nonce, outs: { ...inputs, ...makeKeyPair(), nonce, schemaVersion: SCHEMA_VERSION } };
    },
    async read(id, props) {
        return { id, props, inputs: inputsOf(props, OUTPUTS) };
    },
    async update(_id, olds, news) {
        return { outs: { ...olds, ...news } };
    },
    async delete(_id, props) {
        await removeLeftServices(props);
    },
};

/**
 * A creation of a Service that was interrupted may have left one that is not in the state. The key is created before the
 * Services and deleted after them. Without an answer of the cluster, the key is deleted all the same.
 */
async function removeLeftServices({ cluster, context, kubeconfig, namespace, nonce }: CurveKeyOutputs): Promise<void> {
    // A replaced key has the nonce that the Services have until they are updated.
    if (cluster === undefined || (await programRuns()) === true) {
        return;
    }
    const { cluster: headless, lead } = namesOf(cluster);
    const remove = (name: string) =>
        removeRemains({
            kubeconfig,
            context,
            nonce,
            object: { apiVersion: "v1", kind: "Service", namespace, name },
            job: cluster,
        });
    await Promise.allSettled([lead, headless].map(remove));
}

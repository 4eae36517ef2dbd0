import { randomBytes } from "node:crypto";

import { rememberKey } from "../kubernetes/keyNonces";
import { connect } from "../kubernetes/client";
import { sentence } from "../kubernetes/failures/failure";
import { preload } from "../preload";
import { rememberAccess } from "../kubernetes/kubeconfig/unreachable";
import { inputsOf } from "../host/inputs";
import { isUnknown, mayEqual } from "../host/unknown";
import type { Verbs } from "../host/verbs";
import { makeKeyPair } from "./keyPair";
import { rememberWanted, removeLeftServices } from "./leftServices";
import { type CurveKeyInputs, type CurveKeyOutputs, OUTPUTS } from "./properties";
import { refuseTakenName } from "./takenName";

const SCHEMA_VERSION = 1;

/*
 * check   refuses a kubeconfig that can't be used; remembers the credentials for resources whose own may have expired
 * create  fetches the credential and refuses a name that is taken, before any object of the cluster exists, and makes the key
 *         pair and the nonce
 * update  keeps the key pair
 * diff    replaces the resource when `rotate` changes
 * delete  removes Services that no state has; the key itself is only in the stack's state
 */
export const curveKey: Verbs<CurveKeyInputs, CurveKeyOutputs> = {
    async check(olds, news) {
        rememberWanted(olds, news);
        const isKnown = !isUnknown([news.kubeconfig, news.context]);
        if (isKnown) {
            // The engine may delete the Job before it asks for a check of it.
            rememberAccess(news);
        }
        const reason = isKnown ? refusal(news) : undefined;
        // The engine prints the value of a property that a failure names.
        return { inputs: news, failures: reason === undefined ? [] : [{ property: "", reason }] };
    },
    async diff(_id, olds, news) {
        preload();
        rememberKey(olds);
        rememberWanted(olds, news);
        // An unknown value may be the old one, and the key would be lost for nothing.
        const rotated = !mayEqual(olds.rotate, news.rotate);
        return { changes: olds.rotate !== news.rotate, replaces: rotated ? ["rotate"] : [] };
    },
    async create(inputs) {
        preload();
        await requireCredential(inputs);
        await refuseTakenName(inputs);
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

/** Why the kubeconfig can't be used; undefined if it can, or if the same update may still write it. */
function refusal(inputs: CurveKeyInputs): string | undefined {
    try {
        if (inputs.cluster !== undefined) {
            connect(inputs);
        }
        return undefined;
    } catch (error) {
        return (error as Error).cause === undefined ? sentence(error) : undefined;
    }
}

/** A key that belongs to no cluster needs no credential. */
async function requireCredential(inputs: CurveKeyInputs): Promise<void> {
    if (inputs.cluster !== undefined) {
        await connect(inputs).requireCredential();
    }
}

import { randomBytes } from "node:crypto";

import { rememberKey } from "../kube/keyNonces";
import { preload } from "../kube/preload";
import { inputsOf } from "../inputs";
import { mayEqual } from "../unknown";
import type { Verbs } from "../verbs";
import { makeKeyPair } from "./keyPair";
import { removeLeftServices } from "./leftServices";
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
        rememberKey(olds);
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

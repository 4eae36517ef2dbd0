import { randomBytes } from "node:crypto";

import { preload } from "../kube/preload";
import { pick, type Verbs } from "../verbs";
import { makeKeyPair } from "./keyPair";
import type { CurveKeyInputs, CurveKeyOutputs } from "./resource";

const SCHEMA_VERSION = 1;

/*
 * create  makes the pair and the nonce
 * update  never makes new keys
 * diff    replaces when `rotate` changes
 * delete  has nothing to do: the key only lives in the stack's state
 */
export const curveKey: Verbs<CurveKeyInputs, CurveKeyOutputs> = {
    async check(_olds, news) {
        return { inputs: news };
    },
    async diff(_id, olds, news) {
        preload();
        const rotated = olds.rotate !== news.rotate;
        return { changes: rotated, replaces: rotated ? ["rotate"] : [] };
    },
    async create(inputs) {
        preload();
        const nonce = randomBytes(8).toString("hex");
        return { id: nonce, outs: { ...inputs, ...makeKeyPair(), nonce, schemaVersion: SCHEMA_VERSION } };
    },
    async read(id, props) {
        return { id, props, inputs: pick<CurveKeyInputs>(props, ["rotate"]) };
    },
    async update(_id, olds, news) {
        return { outs: { ...olds, ...news } };
    },
    async delete() {},
};

import { randomBytes } from "node:crypto";

import type { Verbs } from "../verbs";
import type { FluxTicketOutputs } from "./properties";

const SCHEMA_VERSION = 1;

/*
 * create  makes the nonce
 * others  do nothing: the nonce is only in the stack's state, and never changes
 */
export const fluxTicket: Verbs<object, FluxTicketOutputs> = {
    async check(_olds, news) {
        return { inputs: news };
    },
    async diff() {
        return { changes: false };
    },
    async create(inputs) {
        // The letter in front keeps Flux from reading some nonces as numbers.
        const nonce = `n${randomBytes(8).toString("hex")}`;
        return { id: nonce, outs: { ...inputs, nonce, schemaVersion: SCHEMA_VERSION } };
    },
    async read(id, props) {
        return { id, props, inputs: {} };
    },
    async update(_id, olds) {
        return { outs: olds };
    },
    async delete() {},
};

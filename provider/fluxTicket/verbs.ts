import { randomBytes } from "node:crypto";

import type { Verbs } from "../verbs";
import type { FluxTicketOutputs } from "./resource";

const SCHEMA_VERSION = 1;

/*
 * create  makes the nonce
 * others  have nothing to do: it only lives in the stack's state, and never changes
 */
export const fluxTicket: Verbs<object, FluxTicketOutputs> = {
    async check(_olds, news) {
        return { inputs: news };
    },
    async diff() {
        return { changes: false };
    },
    async create(inputs) {
        // With a letter in front, or Flux would take some of them for numbers.
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

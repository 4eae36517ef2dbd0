import { randomBytes } from "node:crypto";

import { newNonce } from "../flux/job";
import { inputsOf } from "../inputs";
import { defined, type Verbs } from "../verbs";
import { type FluxTicketInputs, type FluxTicketOutputs, OUTPUTS } from "./properties";

const SCHEMA_VERSION = 1;

/*
 * check   keeps the job's first name, because Flux is asked for the job by that name
 * create  makes the nonce and the key
 * others  do nothing: nonce and key are only in the stack's state, and never change
 */
export const fluxTicket: Verbs<FluxTicketInputs, FluxTicketOutputs> = {
    async check(olds, news) {
        return { inputs: defined({ ...news, jobName: olds.jobName ?? news.jobName }) };
    },
    async diff() {
        return { changes: false };
    },
    async create(inputs) {
        const nonce = newNonce();
        const key = randomBytes(32).toString("hex");
        return { id: nonce, outs: { ...inputs, nonce, key, schemaVersion: SCHEMA_VERSION } };
    },
    async read(id, props) {
        return { id, props, inputs: inputsOf(props, OUTPUTS) };
    },
    async update(_id, olds, news) {
        return { outs: { ...olds, ...news } };
    },
    async delete() {},
};

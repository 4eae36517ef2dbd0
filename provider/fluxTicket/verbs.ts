import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { inputsOf } from "../inputs";
import { BRIEFLY, connect } from "../kube/client";
import type { LeadMark } from "../contract/leadMark";
import { leadIn } from "../observe/job";
import { defined, type Verbs } from "../verbs";
import { type FluxTicketInputs, type FluxTicketOutputs, OUTPUTS } from "./properties";

const SCHEMA_VERSION = 1;

/*
 * check   keeps the job's first name, because Flux is asked for the job by that name
 * diff    asks for an update if the cluster or its credentials have changed
 * create  makes the nonce and the key, and finds the lead Service of the cluster
 * read    finds the lead Service if that isn't known yet
 * update  records the cluster; nonce and key never change
 * delete  does nothing
 */
export const fluxTicket: Verbs<FluxTicketInputs, FluxTicketOutputs> = {
    async check(olds, news) {
        return { inputs: defined({ ...news, jobName: olds.jobName ?? news.jobName }) };
    },
    async diff(_id, olds, news) {
        return { changes: !isDeepStrictEqual(placeOf(olds), placeOf(news)) };
    },
    async create(inputs) {
        // The letter in front keeps Flux from reading some nonces as numbers.
        const nonce = `n${randomBytes(8).toString("hex")}`;
        const key = randomBytes(32).toString("hex");
        return { id: nonce, outs: await outputs(inputs, { nonce, key }) };
    },
    async read(id, props) {
        const lead = props.lead ?? (await leadFor(props));
        return { id, props: defined({ ...props, lead }), inputs: inputsOf(props, OUTPUTS) };
    },
    async update(_id, olds, news) {
        const { key, nonce } = olds;
        // With new credentials, a cluster of the same name may be another one.
        const isSame = isDeepStrictEqual(olds.cluster, news.cluster);
        return { outs: await outputs(news, { key, nonce, lead: isSame ? olds.lead : undefined }) };
    },
    async delete() {},
};

function placeOf({ cluster, context, kubeconfig }: FluxTicketInputs): unknown {
    return { cluster, context, kubeconfig };
}

async function outputs(
    inputs: FluxTicketInputs,
    made: Pick<FluxTicketOutputs, "key" | "lead" | "nonce">,
): Promise<FluxTicketOutputs> {
    const lead = made.lead ?? (await leadFor(inputs));
    return defined({ ...inputs, ...made, lead, schemaVersion: SCHEMA_VERSION });
}

async function leadFor({ cluster, ...access }: FluxTicketInputs): Promise<LeadMark | undefined> {
    try {
        return cluster && (await leadIn(connect(access, BRIEFLY), cluster));
    } catch {
        // The submission tells why the kubeconfig can't be used.
        return undefined;
    }
}

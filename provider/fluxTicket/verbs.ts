import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import type { LeadMark } from "../contract/leadMark";
import { newNonce } from "../flux/job";
import { removedJobs } from "../flux/removedJobs";
import { inputsOf } from "../inputs";
import { BRIEFLY, connect } from "../kube/client";
import { sentence } from "../kube/failure";
import { isForgettable, withAccess } from "../kube/unreachable";
import { leadIn, leadsTo } from "../observe/job";
import { isUnknown } from "../unknown";
import { defined, type Verbs } from "../verbs";
import { type FluxTicketInputs, type FluxTicketOutputs, OUTPUTS } from "./properties";
import { placeOf, sweep } from "./sweep";

const SCHEMA_VERSION = 1;

/*
 * check   keeps the job's first name, because Flux is asked for the job by that name, and the cluster while a preview
 *         doesn't know it: a changed ticket would make its nonce and its key unknown
 * diff    asks for an update if the FluxJob goes to another cluster; other credentials alone change nothing
 * create  makes the nonce and the key, and finds the lead Service of the cluster
 * read    finds the lead Service if that isn't known yet
 * update  records the cluster; nonce and key never change
 * delete  removes the job that an interrupted update has submitted, and that no state has
 */
export const fluxTicket: Verbs<FluxTicketInputs, FluxTicketOutputs> = {
    async check(olds, news) {
        const kept = <Name extends keyof FluxTicketInputs>(name: Name) =>
            isUnknown(news[name]) ? (olds[name] ?? news[name]) : news[name];
        const place = { cluster: kept("cluster"), context: kept("context"), kubeconfig: kept("kubeconfig") };
        return { inputs: defined({ ...news, ...place, jobName: olds.jobName ?? news.jobName }) };
    },
    async diff(_id, { cluster }, news) {
        // Tickets of earlier releases have no cluster, and stay as they are.
        const moves = cluster !== undefined && !isUnknown(news.cluster) && !isDeepStrictEqual(cluster, news.cluster);
        return { changes: moves };
    },
    async create(inputs) {
        const nonce = newNonce();
        const key = randomBytes(32).toString("hex");
        return { id: nonce, outs: await outputs(inputs, { nonce, key }) };
    },
    async read(id, props) {
        const lead = props.lead ?? (await leadFor(props));
        return { id, props: defined({ ...props, lead }), inputs: inputsOf(props, OUTPUTS) };
    },
    async update(_id, { key, nonce }, news) {
        return { outs: await outputs(news, { key, nonce }) };
    },
    async delete(_id, props) {
        const { cluster, jobName, nonce } = props;
        if (cluster === undefined || removedJobs.has(nonce)) {
            return;
        }
        const placed = { ...props, cluster };
        try {
            await withAccess(props, leadsTo(placeOf(placed), props), (kube) => sweep(kube, placed));
        } catch (error) {
            if (!isForgettable(error)) {
                const place = `MiniCluster ${cluster.namespace}/${cluster.name}`;
                throw new Error(
                    `${place} may still have a job ${jobName} that an interrupted update has submitted: ${sentence(error)}`,
                    { cause: error },
                );
            }
        }
    },
};

async function outputs(
    inputs: FluxTicketInputs,
    made: Pick<FluxTicketOutputs, "key" | "nonce">,
): Promise<FluxTicketOutputs> {
    return defined({ ...inputs, ...made, lead: await leadFor(inputs), schemaVersion: SCHEMA_VERSION });
}

async function leadFor({ cluster, ...access }: FluxTicketInputs): Promise<LeadMark | undefined> {
    try {
        return cluster && (await leadIn(connect(access, BRIEFLY), cluster));
    } catch {
        // The submission tells why the kubeconfig can't be used.
        return undefined;
    }
}

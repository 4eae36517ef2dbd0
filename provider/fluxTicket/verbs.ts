import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import type { PlaceMarks } from "../contract/lead";
import { newNonce } from "../flux/job";
import { marksOf, placeOf } from "../flux/clusterPlace";
import { inputsOf } from "../host/inputs";
import { BRIEFLY, connect } from "../kubernetes/client";
import { accessKey } from "../kubernetes/kubeconfig/clusterAccess";
import { compareMark } from "../kubernetes/clusterMark";
import { sentence } from "../kubernetes/failures/failure";
import { wasRemoved } from "../guard/guard";
import { isForgettable, withAccess } from "../kubernetes/kubeconfig/unreachable";
import { leadsTo } from "../observe/job";
import { isUnknown } from "../host/unknown";
import { defined, type Verbs } from "../host/verbs";
import { type FluxTicketInputs, type FluxTicketOutputs, OUTPUTS } from "./properties";
import { type PlacedTicket, sweep } from "./removal";

const SCHEMA_VERSION = 1;

/*
 * check   keeps the job's first name, because Flux is asked for the job by that name, and the cluster while a preview
 *         doesn't know it: a changed ticket would make its nonce and its key unknown
 * diff    replaces the ticket if the FluxJob goes to another cluster: the old ticket is deleted there after the submission
 * create  makes the nonce and the key, and finds what tells the cluster. Fails if the kubeconfig can't be used
 * read    finds what tells the cluster if that isn't known yet
 * update  records other credentials of the same cluster, if they can be used; nonce and key never change
 * delete  removes the job that an interrupted update has submitted, and that no state has
 */
export const fluxTicket: Verbs<FluxTicketInputs, FluxTicketOutputs> = {
    async check(olds, news) {
        const kept = <Name extends keyof FluxTicketInputs>(name: Name) =>
            isUnknown(news[name]) ? (olds[name] ?? news[name]) : news[name];
        const place = { cluster: kept("cluster"), context: kept("context"), kubeconfig: kept("kubeconfig") };
        return { inputs: defined({ ...news, ...place, jobName: olds.jobName ?? news.jobName }) };
    },
    async diff(_id, olds, news) {
        // Tickets of earlier releases have no cluster, and stay as they are.
        if (!isPlaced(olds) || isUnknown(news)) {
            return { changes: false };
        }
        const isOther = accessKey(olds) !== accessKey(news);
        const moves = !isDeepStrictEqual(olds.cluster, news.cluster) || (isOther && (await leadElsewhere(olds, news)));
        return { changes: moves || isOther, replaces: moves ? ["cluster"] : [] };
    },
    async create(inputs) {
        const nonce = newNonce();
        const key = randomBytes(32).toString("hex");
        return { id: nonce, outs: await outputs(inputs, { nonce, key }) };
    },
    async read(id, props) {
        const marks = await marksIn(props).catch(() => ({}));
        return { id, props: defined({ ...props, ...marks }), inputs: inputsOf(props, OUTPUTS) };
    },
    async update(_id, { clusterMark, key, lead, nonce }, news) {
        return { outs: await outputs(news, { clusterMark, key, lead, nonce }) };
    },
    async delete(_id, props) {
        if (!isPlaced(props) || wasRemoved(props.nonce)) {
            return;
        }
        const { cluster, jobName } = props;
        try {
            await withAccess(props, leadsTo(placeOf(props), props), (kube) => sweep(kube, props));
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

function isPlaced(props: FluxTicketOutputs): props is PlacedTicket {
    return props.cluster !== undefined;
}

type Kept = Pick<FluxTicketOutputs, "key" | "nonce"> & PlaceMarks;

async function outputs(inputs: FluxTicketInputs, kept: Kept): Promise<FluxTicketOutputs> {
    const marks = await marksIn({ ...inputs, ...kept });
    return defined({ ...inputs, ...kept, ...marks, schemaVersion: SCHEMA_VERSION });
}

/** What tells the cluster. Fails if the kubeconfig can't be used. */
async function marksIn(props: FluxTicketInputs & PlaceMarks): Promise<PlaceMarks> {
    const { cluster } = props;
    return cluster === undefined ? {} : marksOf(connect(props, BRIEFLY), { ...props, cluster });
}

/** True if other credentials are known to lead to another cluster. Another lead Service may be a new one of the same cluster. */
async function leadElsewhere({ cluster, clusterMark }: PlacedTicket, news: FluxTicketInputs): Promise<boolean> {
    try {
        const comparison = await compareMark(connect(news, BRIEFLY), cluster.namespace, clusterMark);
        return comparison?.isSame === false && comparison.isSure;
    } catch {
        // The update tells why they can't be used.
        return false;
    }
}

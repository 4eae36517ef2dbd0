import { QUEUE_LABEL } from "../../provider/contract/labels";
import { isHeld } from "../../provider/kubernetes/sleep";
import { ending } from "../../provider/kubernetes/job";
import { BRIEFLY, Kube } from "../../provider/kubernetes/client";
import { apiFailure, isTransient, sentence } from "../../provider/kubernetes/failures/failure";
import { noCluster } from "../target/clusters";
import { programName } from "../definition/programName";
import { checkAdmission } from "./dryRuns";
import { checkBrokers } from "./brokers";
import { lookAt } from "./cluster";
import { checkNames } from "./dns";
import { checkEvents } from "./events";
import { fail, type Finding, ok, unchecked } from "./finding";
import { checkKubeconfig, unusable } from "./kubeconfig";
import { checkKueue } from "./kueue";
import { askLead } from "./leadReport";
import type { Cluster, Place } from "./subject";
import { checkQueue } from "./queue";
import { checkRanks } from "./ranks";
import { checkRights, CREATE_PODS, keyOf } from "./rights";
import { checkNodes, checkQuota, readRoom } from "./room";
import { checkServer } from "./server";
import { trialJob } from "./trial";
import { checkImage, checkPods } from "./troubles";

/** Checks that belong together, in the order of what needs what. */
export interface Group {
    readonly name: string;
    readonly findings: readonly Finding[];
}

/** What the user wants examined. */
export interface Subject {
    readonly namespace: string;
    readonly name?: string;
    readonly uid?: string;
}

type Check = (place: Place, cluster: Cluster) => Finding[] | Promise<Finding[]>;
type PlaceCheck = (place: Place) => Finding[] | Promise<Finding[]>;

/** The group that only a cluster with `queueName` has. */
const KUEUE = "Kueue";

/** The groups that need a server and rights: of each place, then of a cluster. */
const OF_PLACE: Readonly<Record<string, PlaceCheck>> = {
    admission: checkAdmission,
    quota: checkQuota,
    nodes: checkNodes,
};
const OF_CLUSTER: Readonly<Record<string, Check>> = {
    [KUEUE]: ({ kube, namespace }, cluster) => checkKueue(kube, namespace, cluster),
    pods: (_place, cluster) => checkPods(cluster),
    image: (_place, cluster) => checkImage(cluster),
    DNS: (place, cluster) => checkNames(cluster, place),
    brokers: (place, cluster) => checkBrokers(cluster, place),
    ranks: (place, cluster) => checkRanks(cluster, place),
    queue: ({ lead }, cluster) => checkQueue(cluster, lead),
    events: ({ told }, cluster) => checkEvents(cluster, told),
};

/** Groups that a Job which doesn't run doesn't have. */
const RUNNING = ["DNS", "brokers", "ranks", "queue"];

/** Examines a place. `connected` is a client, or why the kubeconfig can't be used. */
export async function examine(connected: Kube | Error, subject: Subject): Promise<Group[]> {
    const groups = new Groups(subject.name !== undefined);
    if (!(connected instanceof Kube)) {
        return groups.add("kubeconfig", [unusable(connected)]).rest("the kubeconfig can't be used");
    }
    const kube = new Kube(connected.config, BRIEFLY);
    if (groups.add("kubeconfig", await checkKubeconfig(kube)).hasFailed) {
        return groups.rest("the credential can't be used");
    }
    if (groups.add("server", await checkServer(kube)).hasFailed) {
        return groups.rest("the API server doesn't work");
    }
    const rights = await checkRights(kube, subject.namespace);
    groups.add("rights", rights.findings);
    const mayTryPod = rights.answers.get(keyOf({ ...CREATE_PODS, namespace: subject.namespace })) ?? false;
    const cluster = await groups.look(kube, subject);
    const place = await placeOf(kube, subject, cluster, mayTryPod);
    for (const [name, check] of Object.entries(OF_PLACE)) {
        groups.add(name, await check(place));
    }
    return subject.name === undefined ? groups.all : ofCluster(groups, place);
}

async function ofCluster(groups: Groups, place: Place): Promise<Group[]> {
    const { cluster } = place;
    if (cluster === undefined) {
        return groups.rest("the cluster can't be seen");
    }
    for (const [name, check] of checksOf(cluster)) {
        groups.add(name, await check({ ...place, told: groups.told }, cluster));
    }
    return groups.all;
}

function checksOf({ job }: Cluster): [string, Check][] {
    const isQueued = job.metadata?.labels?.[QUEUE_LABEL] !== undefined;
    const runs = !isHeld(job) && ending(job) === undefined;
    return Object.entries(OF_CLUSTER).filter(
        ([name]) => (isQueued || name !== KUEUE) && (runs || !RUNNING.includes(name)),
    );
}

async function placeOf(kube: Kube, subject: Subject, cluster: Cluster | undefined, mayTryPod: boolean): Promise<Place> {
    const { namespace } = subject;
    const trial = await trialJob(namespace, cluster?.job);
    const [survey, lead] = await Promise.all([
        readRoom(kube, namespace, trial.spec?.template ?? {}),
        cluster === undefined ? "there is no cluster" : askLead(kube, namespace, cluster.pods),
    ]);
    return { ...subject, kube, cluster, trial, survey, lead, mayTryPod, told: [] };
}

/** The groups that have been examined. */
class Groups {
    readonly all: Group[] = [];

    constructor(private readonly hasCluster: boolean) {}

    add(name: string, findings: readonly Finding[]): this {
        this.all.push({ name, findings });
        return this;
    }

    /** True if the last group has failed. */
    get hasFailed(): boolean {
        return this.all.at(-1)?.findings.some(({ level }) => level === "fail") ?? false;
    }

    get told(): string[] {
        return this.all.flatMap(({ findings }) => findings.map(({ text }) => text));
    }

    /** Looks at the cluster, if one is wanted. */
    async look(kube: Kube, { name, namespace, uid }: Subject): Promise<Cluster | undefined> {
        if (name === undefined) {
            return undefined;
        }
        try {
            const cluster = await lookAt({ kube, name, namespace, uid });
            const phase = `Job ${namespace}/${name}`;
            this.add("cluster", [
                cluster === undefined
                    ? fail(
                          noCluster(kube, namespace, name),
                          `--context or --kubeconfig of its cluster; ${programName()} list; pulumi refresh and pulumi up; --namespace`,
                      )
                    : ok(`${phase} is there, with ${cluster.seen.podCount} pods`),
            ]);
            return cluster;
        } catch (error) {
            const isRefused = apiFailure(error) !== undefined || isTransient(error);
            const another = fail(sentence(error), "pulumi refresh and pulumi up, or give the name without a stack");
            this.add("cluster", [
                isRefused ? unchecked(`Job ${namespace}/${name}: ${sentence(error)}`, "docs/rbac.yaml") : another,
            ]);
            return undefined;
        }
    }

    /** All groups; those that were not reached say why. */
    rest(why: string): Group[] {
        const names = ["server", "rights", ...(this.hasCluster ? ["cluster"] : []), ...Object.keys(OF_PLACE)];
        const wanted = this.hasCluster ? [...names, ...Object.keys(OF_CLUSTER)] : names;
        const known = this.all.map(({ name }) => name);
        const missing = wanted.filter((name) => name !== KUEUE && !known.includes(name));
        missing.forEach((name) => this.add(name, [unchecked(why)]));
        return this.all;
    }
}

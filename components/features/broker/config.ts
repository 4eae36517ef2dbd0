import { stringify } from "smol-toml";

import { hostOf, namesOf } from "../../../provider/contract/names";
import { certificatePath } from "../../parts/certificate";
import { Network } from "../../parts/network";
import type { MiniClusterSpec } from "../../spec";
import { allHosts, hostlist } from "./hostlist";
import { firstIds } from "./idset";

/**
 * Text of broker.toml: the same for all ranks, and independent of the cluster's present size.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man5/flux-config-bootstrap.html
 */
export function brokerConfig(spec: MiniClusterSpec): string {
    return (
        spec.broker.config ??
        stringify({ bootstrap: bootstrap(spec), tbon: tbon(spec), ...resource(spec), ...kvs(spec) })
    );
}

function bootstrap(spec: MiniClusterSpec) {
    const { hostSuffix: suffix, network } = spec;
    const { port } = spec.broker;
    const bind = `tcp://*:${port}`;
    const named = { default_bind: bind, default_connect: `tcp://%h:${port}` };
    if (network === Network.Dns) {
        return {
            curve_cert: certificatePath(spec),
            ...named,
            hosts: [{ host: allHosts(spec.name, spec.maxSize, suffix) }],
        };
    }
    const lead = { host: hostOf(spec.name, 0) + suffix, bind, connect: `tcp://${namesOf(spec.name).lead}:${port}` };
    const followers = spec.maxSize > 1 ? [{ host: hostlist(spec.name, 1, spec.maxSize - 1, suffix) }] : [];
    // Inner ranks of a tree are found by their own names, rank 0 never is.
    const tree = isFlat(spec) ? {} : named;
    return { curve_cert: certificatePath(spec), ...tree, hosts: [lead, ...followers] };
}

/**
 * A follower finds out that it lost the lead when it says something to the next one. By default it is silent for so long
 * that this takes 10 s; so it takes 5, the longest that Flux waits for the lead's heartbeat.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man5/flux-config-tbon.html
 */
function tbon(spec: MiniClusterSpec) {
    const { topology, connectTimeout } = spec.broker;
    return {
        connect_timeout: `${connectTimeout}s`,
        torpid_min: "2s",
        ...(topology === undefined ? {} : { topo: topology }),
    };
}

/** Flat is what Flux makes of a bootstrap by configuration, and the one topology that needs no DNS. */
function isFlat(spec: MiniClusterSpec): boolean {
    return ["custom", "kary:0", undefined].includes(spec.broker.topology);
}

function resource(spec: MiniClusterSpec) {
    if (spec.rank === undefined) {
        return {};
    }
    const { cores, gpus } = spec.rank;
    const hosts = allHosts(spec.name, spec.maxSize, spec.hostSuffix);
    const config = [{ hosts, cores: firstIds(cores), ...(gpus > 0 ? { gpus: firstIds(gpus) } : {}) }];
    // A CPU limit is a share of time: hwloc still sees all of the node's cores and would call it a mismatch.
    return { resource: { noverify: true, config } };
}

/**
 * So the queue outlives the broker of rank 0, as long as its pod does; only what changed is written.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man5/flux-config-kvs.html
 */
function kvs({ mode }: MiniClusterSpec) {
    return mode === "persistent" ? { kvs: { "checkpoint-period": "5s" } } : {};
}

/**
 * Hosts for which rank 0 has to describe the resources at start, or "" where it needn't. Flux can only gather them by
 * itself when all ranks are there, and then never schedules on a rank again that was lost and came back.
 * @see https://github.com/flux-framework/flux-core/blob/master/src/modules/resource/acquire.c
 */
export function hostsToDetect(spec: MiniClusterSpec): string {
    if (spec.rank !== undefined || spec.broker.config !== undefined) {
        return "";
    }
    // Flux takes what an archive says of resources for true, and that may be another size's.
    const gathers = spec.minSize === spec.maxSize && spec.archive === undefined && endsWithALoss(spec);
    return gathers ? "" : allHosts(spec.name, spec.maxSize, spec.hostSuffix);
}

/** One command on all ranks fails with the first that is lost. */
function endsWithALoss({ launcher, mode }: MiniClusterSpec): boolean {
    return mode === "ephemeral" && !launcher;
}

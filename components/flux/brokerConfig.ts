import { stringify } from "smol-toml";

import { Network } from "../args";
import { hostOf, namesOf } from "../names";
import { certificatePath } from "../manifests/key";
import type { MiniClusterSpec } from "../spec";
import { allHosts, hostlist } from "./hostlist";
import { firstIds } from "./idset";

/**
 * Text of broker.toml: the same for all ranks, and independent of the cluster's present size.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man5/flux-config-bootstrap.html
 */
export function brokerConfig(spec: MiniClusterSpec): string {
    return spec.broker.config ?? stringify({ bootstrap: bootstrap(spec), tbon: tbon(spec), ...resource(spec) });
}

function bootstrap(spec: MiniClusterSpec) {
    const { hostSuffix: suffix, network } = spec;
    const { port } = spec.broker;
    const bind = `tcp://*:${port}`;
    const named = { default_bind: bind, default_connect: `tcp://%h:${port}` };
    if (network === Network.Dns) {
        return { curve_cert: certificatePath(spec), ...named, hosts: [{ host: allHosts(spec.name, spec.maxSize, suffix) }] };
    }
    const lead = { host: hostOf(spec.name, 0) + suffix, bind, connect: `tcp://${namesOf(spec.name).lead}:${port}` };
    const followers = spec.maxSize > 1 ? [{ host: hostlist(spec.name, 1, spec.maxSize - 1, suffix) }] : [];
    // Inner ranks of a tree are found by their own names, rank 0 never is.
    const tree = isFlat(spec) ? {} : named;
    return { curve_cert: certificatePath(spec), ...tree, hosts: [lead, ...followers] };
}

function tbon(spec: MiniClusterSpec) {
    const { topology, connectTimeout } = spec.broker;
    return { connect_timeout: connectTimeout, ...(topology === undefined ? {} : { topo: topology }) };
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
 * Hosts for which rank 0 has to describe the resources at start, or "" where it needn't: Flux can only gather them by
 * itself when all ranks are there.
 */
export function hostsToDetect(spec: MiniClusterSpec): string {
    if (spec.rank !== undefined || spec.broker.config !== undefined) {
        return "";
    }
    // Flux takes what an archive says of resources for true, and that may be another size's.
    const gathers = spec.minSize === spec.maxSize && spec.archive === undefined;
    return gathers ? "" : allHosts(spec.name, spec.maxSize, spec.hostSuffix);
}

import { stringify } from "smol-toml";

import { hostOf } from "../../parts/hosts";
import { namesOf } from "../../../provider/contract/names";
import { reruns } from "../attempts";
import { certificatePath } from "../key";
import { Network } from "../network";
import { podsFindCores } from "../resources";
import type { MiniClusterSpec } from "../../spec";
import { extraResources } from "./extraConfig";
import { allHosts, firstIds, hostlist } from "./hostlist";
import { isFlat } from "./topology";

/**
 * Text of broker.toml. It is the same for all ranks, and doesn't depend on the cluster's current size.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man5/flux-config-bootstrap.html
 */
export function brokerConfig(spec: MiniClusterSpec): string {
    const own = ownConfig(spec);
    return (
        spec.broker.config ??
        stringify({ ...own, ...(own.resource && { resource: withProperties(spec, own.resource) }) })
    );
}

/** What broker.toml has, without the user's further configuration. */
export function ownConfig(spec: MiniClusterSpec): OwnConfig {
    return { bootstrap: bootstrap(spec), tbon: tbon(spec), ...resource(spec), ...kvs(spec) };
}

interface OwnConfig {
    readonly [table: string]: object | undefined;
    readonly resource?: ResourceTable;
}

interface ResourceTable {
    readonly noverify: boolean;
    readonly config: readonly object[];
}

function withProperties(spec: MiniClusterSpec, { config, noverify }: ResourceTable): ResourceTable {
    return { noverify, config: [...config, ...extraResources(spec)] };
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
    // In a tree, ranks connect to an inner rank by its host name, and to the lead by the name of its Service.
    const tree = isFlat(spec) ? {} : named;
    return { curve_cert: certificatePath(spec), ...tree, hosts: [lead, ...followers] };
}

/**
 * A follower notices the loss of the lead when it sends a message to the lead's new broker. By default an idle follower
 * is silent for so long that this takes 10 s. With this `torpid_min` it takes 5 s, the longest time that Flux waits for
 * the lead's heartbeat.
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

function resource(spec: MiniClusterSpec): { resource?: ResourceTable } {
    const { cores, gpus } = spec.rank;
    if (cores === undefined) {
        return {};
    }
    const hosts = allHosts(spec.name, spec.maxSize, spec.hostSuffix);
    const config = [{ hosts, cores: firstIds(cores), ...(gpus > 0 ? { gpus: firstIds(gpus) } : {}) }];
    // hwloc sees all cores of the node, and Flux would report a mismatch.
    return { resource: { noverify: true, config } };
}

/**
 * Saves the queue every 5 s, so that it outlives the lead's broker as long as the lead's pod exists. Only changes are
 * written.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man5/flux-config-kvs.html
 */
function kvs({ mode }: MiniClusterSpec) {
    return mode === "persistent" ? { kvs: { "checkpoint-period": "5s" } } : {};
}

/** Hosts whose resources the lead may have to describe at its start, or "" if they are known. */
export function hostsToDetect(spec: MiniClusterSpec): string {
    return podsFindCores(spec) ? allHosts(spec.name, spec.maxSize, spec.hostSuffix) : "";
}

/**
 * True if Flux can gather the resources, which need not be the same on all ranks. It can only when all ranks have joined,
 * and then never schedules on a rank again that was lost and came back.
 * @see https://github.com/flux-framework/flux-core/blob/master/src/modules/resource/acquire.c
 */
export function gathers(spec: MiniClusterSpec): boolean {
    // Flux trusts the resources in an archive, and these may be those of another size. The GPUs in the limits have to be
    // described, because Flux detects only those for which its hwloc was built.
    const isDescribed = spec.archive !== undefined || spec.rank.gpus > 0 || !endsWithALoss(spec);
    return hostsToDetect(spec) !== "" && spec.minSize === spec.maxSize && !isDescribed;
}

/** The GPUs that the lead describes besides the cores that it finds, or "" if there are none. */
export function gpusToDescribe(spec: MiniClusterSpec): string {
    return hostsToDetect(spec) === "" || spec.rank.gpus === 0 ? "" : firstIds(spec.rank.gpus);
}

/** True if the cluster ends with the first rank that is lost, because one command runs on all ranks. */
function endsWithALoss(spec: MiniClusterSpec): boolean {
    return spec.mode === "ephemeral" && !spec.launcher && !reruns(spec);
}

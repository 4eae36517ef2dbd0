import { parse, TomlError } from "smol-toml";

import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import { allHosts } from "./hostlist";

export type Table = Readonly<Record<string, unknown>>;

/** Resources of hosts, as `resource.config` has them. */
type HostResources = Readonly<{ hosts?: unknown; properties?: unknown }>;

const PROPERTY = "broker.extraConfig";

/** The further configuration as a table; empty if there is none, undefined if its text isn't TOML. */
export function extraTable(spec: MiniClusterSpec): Table | undefined {
    try {
        return parse(spec.broker.extraConfig ?? "");
    } catch {
        return undefined;
    }
}

/** The user's entries of `resource.config`. Flux merges tables, but not lists, so broker.toml has them too. */
export function extraResources(spec: MiniClusterSpec): HostResources[] {
    const { resource } = extraTable(spec) ?? {};
    const config = isTable(resource) ? resource["config"] : undefined;
    return Array.isArray(config) ? (config as HostResources[]) : [];
}

/**
 * Refuses a text that isn't TOML, and keys that say something else than MiniCluster's own configuration.
 * @param own What broker.toml has without the further configuration.
 */
export function validateExtraConfig(spec: MiniClusterSpec, own: Table): Problem[] {
    const { config, extraConfig } = spec.broker;
    if (extraConfig === undefined) {
        return [];
    }
    if (config !== undefined) {
        const reason = "is given together with broker.config, which is the whole broker.toml. Write all of it there.";
        return [{ property: PROPERTY, reason }];
    }
    try {
        const extra = parse(extraConfig);
        return contradictions(spec, extra, own);
    } catch (error) {
        return [{ property: PROPERTY, reason: whyNotToml(error) }];
    }
}

function whyNotToml(error: unknown): string {
    if (!(error instanceof TomlError)) {
        throw error;
    }
    const [first = ""] = error.message.split("\n");
    const why = first.replace(/^Invalid TOML document: /, "");
    return `isn't TOML: line ${error.line}, column ${error.column}: ${why}. Correct it.`;
}

/** Keys that the start script or another argument sets, each with its cure. Keys below them count too. */
const OWN: readonly (readonly [key: string, cure: string])[] = [
    ["bootstrap", "Remove it."],
    ["resource.noverify", "Use cores."],
    ["resource.path", "Use cores."],
    ["tbon.connect_timeout", "Use broker.connectTimeout."],
    ["tbon.topo", "Use broker.topology."],
];

/** What `broker.scheduler` decides. */
const BY_SCHEDULER = ["modules.alternatives.sched", "modules.alternatives.feasibility"] as const;

function contradictions(spec: MiniClusterSpec, extra: Table, own: Table): Problem[] {
    const { scheduler } = spec.broker;
    const cures = [...OWN, ...(scheduler === undefined ? [] : BY_SCHEDULER.map((key) => [key, "Remove it."] as const))];
    const mine = leaves(own);
    return leaves(extra).flatMap(([key, value]): Problem[] => {
        if (key === "resource.config") {
            return validateResourceConfig(spec);
        }
        const [, cure] = cures.find(([name]) => overlap(key, name)) ?? [];
        const same = mine.find(([name]) => overlap(key, name));
        if (same?.[0] === key && JSON.stringify(same[1]) === JSON.stringify(value)) {
            return [];
        }
        return cure !== undefined || same !== undefined ? [ownKey(key, cure)] : [];
    });
}

function ownKey(key: string, cure = "Remove it."): Problem {
    return { property: PROPERTY, reason: `sets ${key}, which MiniCluster sets itself. ${cure}` };
}

/** True if the keys are equal, or if one is a part of the other. */
function overlap(one: string, other: string): boolean {
    return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/** The values of a table with their dotted keys. */
function leaves(table: Table, path = ""): [string, unknown][] {
    return Object.entries(table).flatMap(([name, value]): [string, unknown][] => {
        const key = path === "" ? name : `${path}.${name}`;
        return isTable(value) ? leaves(value, key) : [[key, value]];
    });
}

export function isTable(value: unknown): value is Table {
    return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Entries of `resource.config` may only give properties to hosts: other arguments say what a rank has. */
function validateResourceConfig(spec: MiniClusterSpec): Problem[] {
    if (spec.rank.cores === undefined) {
        const reason =
            "sets resource.config, but the pods find their cores themselves. Give cores or resources.requests.cpu.";
        return [{ property: PROPERTY, reason }];
    }
    return extraResources(spec).flatMap(({ hosts, properties: _, ...further }, index) => {
        const at = `resource.config[${index}]`;
        const own = Object.keys(further).map((key) => ownKey(`${at}.${key}`, "Use cores or gpus."));
        const strange = isHostlist(spec, hosts) ? [] : [unknownHosts(spec, `${at}.hosts`, hosts)];
        return [...own, ...strange];
    });
}

function unknownHosts({ hostSuffix, maxSize, name }: MiniClusterSpec, key: string, hosts: unknown): Problem {
    const all = allHosts(name, maxSize, hostSuffix);
    const reason = `has ${key} = ${JSON.stringify(hosts)}, which are not hosts of the cluster. They are "${all}".`;
    return { property: PROPERTY, reason };
}

/** True for a list of hosts of the cluster, such as `lammps-[0-3,8],lammps-9`. */
function isHostlist({ hostSuffix, maxSize, name }: MiniClusterSpec, hosts: unknown): boolean {
    const items = typeof hosts === "string" ? hosts.split(/,(?![^[]*\])/) : [""];
    return items.every((host) => {
        const isNamed = host.startsWith(`${name}-`) && host.endsWith(hostSuffix);
        const ranks = isNamed ? host.slice(name.length + 1, host.length - hostSuffix.length) : "";
        const numbers = /^(?:\d+|\[\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*\])$/.test(ranks) ? ranks.match(/\d+/g) : null;
        return numbers !== null && numbers.every((rank) => Number(rank) < maxSize);
    });
}

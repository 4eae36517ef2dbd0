import type { Input } from "@pulumi/pulumi";

import { BROKER_PORT, namesOf } from "../../../provider/contract/names";
import {
    BROKER_CONFIG_FILE,
    CONFIG_DIR,
    EXTRA_CONFIG_FILE,
    SCRIPTS_DIR,
    STATE_DIR,
    TERMINATION_LOG,
} from "../../parts/paths";
import { RUN_DIR } from "../../../provider/contract/paths";
import { fluxSetsScript } from "../../../provider/contract/scriptText";
import { MINIMUM } from "../../../provider/contract/versions";
import { reruns } from "../attempts";
import { lazily } from "../../parts/lazily";
import { RUN_MOUNT } from "../../parts/mount";
import { leadPrograms, runScript, scriptsIn } from "../../parts/scripts";
import { unixTextOf } from "../../parts/unixText";
import type { MiniClusterSpec, Texts } from "../../spec";
import type { Feature } from "../feature";
import { brokerConfig, gathers, gpusToDescribe, hostsToDetect, ownConfig } from "./config";
import { validateExtraConfig } from "./extraConfig";
import { noticeRefusals } from "./fluxion";
import { queuesOf, validateCommandsQueue, validateQueues } from "./queues";
import { validateBroker, validateReports } from "./rules";
import { decideTopology, noticeFlat, type Surroundings } from "./topology";

/**
 * Settings of the Flux brokers.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man7/flux-broker-attributes.html
 */
export interface BrokerArgs {
    /**
     * Most verbose level that a broker prints: 0 (emerg) to 7 (debug). Until its rank has joined, a broker always
     * prints its errors.
     * @default 3 (err), which is Flux's own default
     */
    logLevel?: Input<number>;
    /**
     * `tbon.topo`: `custom` (flat), `kary:N`, `mincrit` or `binomial`. Other topologies than flat need cluster DNS
     * or `network: "hosts"`.
     * @default flat; `kary:128` if `network` is "dns" or "hosts" and `maxSize` is above 256
     */
    topology?: Input<string>;
    /**
     * Seconds after which a broker retries a connection that isn't answered (`tbon.connect_timeout`); 0.1 or more. A
     * new Service takes up to a second to work, and TCP repeats a lost packet only after one second more. Must be longer
     * than a round trip between the nodes.
     * @default 0.1
     * @fractional
     */
    connectTimeout?: Input<number>;
    /** Further broker attributes, name to value. @default none */
    attributes?: Input<{ [name: string]: Input<string> }>;
    /** The whole broker.toml, instead of the one that is made from the other arguments. @default none @script */
    config?: Input<string>;
    /**
     * Further configuration: TOML that Flux reads beside broker.toml and merges with it, for example queues, policies
     * and the settings of a scheduler. Keys that MiniCluster sets itself are refused. Entries of `resource.config` may
     * give properties to hosts. The queues are started with the cluster.
     * @default none
     * @script
     */
    extraConfig?: Input<string>;
    /**
     * Scheduler: `fluxion` (the image needs flux-sched), or the name of a broker module: `sched-simple`, `sched-fifo` or
     * `sched-backfill` of flux-core (the last two from 0.84 on), or a module of the image.
     * @default what Flux itself loads: Fluxion if flux-sched is installed beside flux-core, else sched-simple
     */
    scheduler?: Input<string>;
    /** TCP port. @default 8050 */
    port?: Input<number>;
}

export interface BrokerArguments {
    /** Settings of the Flux brokers. @default see its fields */
    broker?: Input<BrokerArgs>;
}

export interface Decided {
    readonly broker: {
        readonly logLevel: number;
        readonly topology?: string;
        readonly connectTimeout: number;
        readonly attributes: Texts;
        readonly config?: string;
        readonly extraConfig?: string;
        readonly scheduler?: string;
        readonly port: number;
    };
}

/** True if a program works beside the lead's broker. */
function hasLeadPrograms({ disruptionBudget, elastic, mode }: MiniClusterSpec): boolean {
    return elastic !== undefined || (disruptionBudget && mode === "persistent");
}

export const broker: Feature<BrokerArguments & Surroundings, Decided> = {
    decide: (args) => ({
        broker: lazily<Decided["broker"]>({
            logLevel: () => args.broker?.logLevel ?? 3,
            topology: () => decideTopology(args.broker?.topology, args),
            connectTimeout: () => args.broker?.connectTimeout ?? 0.1,
            attributes: () => args.broker?.attributes ?? {},
            config: () => unixTextOf(args.broker?.config),
            extraConfig: () => unixTextOf(args.broker?.extraConfig),
            scheduler: () => args.broker?.scheduler,
            port: () => args.broker?.port ?? BROKER_PORT,
        }),
    }),

    problems: (spec) => [
        ...validateBroker(spec),
        ...validateExtraConfig(spec, ownConfig(spec)),
        ...validateQueues(spec),
        ...validateCommandsQueue(spec),
        ...validateReports(spec),
    ],
    notices: (spec) => [...noticeFlat(spec), ...noticeRefusals(spec)],

    files: (spec) => ({
        [BROKER_CONFIG_FILE]: brokerConfig(spec),
        ...runScript(),
        ...(hasLeadPrograms(spec) || spec.metrics !== undefined ? { "flux_sets.py": fluxSetsScript() } : {}),
        ...(hasLeadPrograms(spec) ? leadPrograms() : {}),
        ...scriptsIn(
            __dirname,
            "lives.sh",
            "options.sh",
            "processes.sh",
            "ready.sh",
            "start.sh",
            "supervise.sh",
            "wait.sh",
        ),
        ...(spec.mode === "persistent" || reruns(spec) ? scriptsIn(__dirname, "undrain.sh") : {}),
        ...(hostsToDetect(spec) === "" ? {} : scriptsIn(__dirname, "describe-ranks.sh")),
        ...(spec.broker.scheduler === undefined ? {} : scriptsIn(__dirname, "scheduler.sh")),
        ...(queuesOf(spec).length > 0 ? scriptsIn(__dirname, "queues.sh") : {}),
        ...(spec.broker.extraConfig === undefined ? {} : { [EXTRA_CONFIG_FILE]: spec.broker.extraConfig }),
    }),

    parameters: (spec) => ({
        attributes: attributes(spec),
        config: CONFIG_DIR,
        detectGpus: gpusToDescribe(spec),
        detectHosts: hostsToDetect(spec),
        gathers: hostsToDetect(spec) === "" ? undefined : String(gathers(spec)),
        lead: namesOf(spec.name).lead,
        logLevel: String(spec.broker.logLevel),
        minimumFlux: MINIMUM.flux,
        queues: queuesOf(spec).join(" "),
        run: RUN_DIR,
        scheduler: spec.broker.scheduler,
        scripts: SCRIPTS_DIR,
        state: `${STATE_DIR}/state`,
        terminationLog: TERMINATION_LOG,
    }),

    programs: (spec) => [...PROGRAMS, ...(spec.broker.scheduler === undefined ? [] : ["broker.scheduler:printenv"])],
    ports: (spec) => [{ name: "broker", port: spec.broker.port, protocol: "tcp" }],
    mounts: () => [RUN_MOUNT, { mountPath: STATE_DIR, volume: { name: "flux-state", emptyDir: {} } }],
    container: (spec) => ({ command: ["/bin/sh", `${SCRIPTS_DIR}/wait.sh`], startupProbe: startupProbe(spec) }),
};

/** External programs of the scripts that every cluster has, or nearly every one. */
const PROGRAMS = [
    "bash",
    "cat",
    "chmod",
    "cp",
    "date",
    "id",
    "install",
    "mkdir",
    "mkfifo",
    "mv",
    "rm",
    "sleep",
    "tail",
    "timeout",
    "wc",
];

function attributes(spec: MiniClusterSpec): string {
    return Object.entries(spec.broker.attributes)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `${name}=${value}`)
        .join("\n");
}

/**
 * Seconds from a container's start to the first startup probe. The probe itself waits until the rank is ready, but its
 * start costs 0.1 s of CPU, and at that time the brokers of a node need all of it. No cluster is ready in less than
 * 2 s, and the end of a command needs no probe.
 */
const FIRST_LOOK = { ephemeral: 5, persistent: 2 } as const;

/**
 * Makes a pod Ready when its rank has joined. The lead's pod also needs the quorum and, if there is a RESTful server,
 * the server's answer. It is a startup probe, because that costs nothing after its success. It has no deadline, because
 * JobStatus has the timeouts.
 */
function startupProbe({ mode }: MiniClusterSpec) {
    return {
        exec: { command: ["/bin/sh", `${SCRIPTS_DIR}/ready.sh`] },
        initialDelaySeconds: FIRST_LOOK[mode],
        periodSeconds: 1,
        // The script gives up earlier.
        timeoutSeconds: 60,
        failureThreshold: 2147483647,
    };
}

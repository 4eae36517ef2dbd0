import type { Input } from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import {
    BROKER_CONFIG_FILE,
    BROKER_PORT,
    CONFIG_DIR,
    MINIMUM_FLUX,
    RUN_DIR,
    SCRIPTS_DIR,
    STATE_DIR,
    TERMINATION_LOG,
} from "../../../provider/contract/paths";
import { RUN_MOUNT } from "../../parts/mount";
import { fluxScript, scriptsIn } from "../../parts/scripts";
import type { MiniClusterSpec, Texts } from "../../spec";
import type { Feature } from "../feature";
import { brokerConfig, hostsToDetect } from "./config";
import { validateBroker } from "./rules";

/** Settings of the Flux brokers. @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man7/flux-broker-attributes.html */
export interface BrokerArgs {
    /**
     * Most verbose level that a broker prints: 0 (emerg) to 7 (debug). Until its rank has joined, a broker prints its
     * errors, whatever the level is.
     * @default 3 (err), which is Flux's own
     */
    logLevel?: Input<number>;
    /**
     * `tbon.topo`: `custom` (flat), `kary:N`, `mincrit` or `binomial`. Other topologies than flat need cluster DNS
     * or `network: "hosts"`.
     * @default flat
     */
    topology?: Input<string>;
    /** Seconds until a broker tries a connection again that isn't answered (`tbon.connect_timeout`). @default 2 */
    connectTimeout?: Input<number>;
    /** Further broker attributes, name to value. @default none */
    attributes?: Input<{ [name: string]: Input<string> }>;
    /** The whole broker.toml, instead of the one that is made from the other arguments. @default none */
    config?: Input<string>;
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
        readonly port: number;
    };
}

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const broker: Feature<BrokerArguments, Decided> = {
    decide: ({ broker: given = {} }) => ({
        broker: {
            logLevel: given.logLevel ?? 3,
            topology: given.topology,
            connectTimeout: given.connectTimeout ?? 2,
            attributes: given.attributes ?? {},
            config: given.config,
            port: given.port ?? BROKER_PORT,
        },
    }),

    problems: validateBroker,

    files: (spec) => ({
        [BROKER_CONFIG_FILE]: brokerConfig(spec),
        ...fluxScript(),
        ...scriptsIn(__dirname, "processes.sh", "ready.sh", "start.sh", "supervise.sh", "wait.sh"),
        ...(spec.mode === "persistent" ? scriptsIn(__dirname, "rejoin.sh") : {}),
    }),

    parameters: (spec) => ({
        attributes: attributes(spec),
        config: CONFIG_DIR,
        detectHosts: hostsToDetect(spec),
        lead: namesOf(spec.name).lead,
        logLevel: String(spec.broker.logLevel),
        minimumFlux: MINIMUM_FLUX,
        run: RUN_DIR,
        scripts: SCRIPTS_DIR,
        state: `${STATE_DIR}/state`,
        terminationLog: TERMINATION_LOG,
    }),

    ports: (spec) => [{ name: "broker", port: spec.broker.port, protocol: "tcp" }],
    mounts: () => [RUN_MOUNT, { mountPath: STATE_DIR, volume: { name: "flux-state", emptyDir: {} } }],
    container: (spec) => ({ command: ["/bin/sh", `${SCRIPTS_DIR}/wait.sh`], startupProbe: startupProbe(spec) }),
};

function attributes(spec: MiniClusterSpec): string {
    return Object.entries(spec.broker.attributes)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `${name}=${value}`)
        .join("\n");
}

/**
 * Seconds from a container's start to the first look whether it is ready. The look waits in the container until it is,
 * but to begin it costs a tenth of a second of CPU, and just then the brokers of a node need all of it. No cluster is
 * ready in less than 2, and for the end of a command nobody has to look.
 */
const FIRST_LOOK = { ephemeral: 5, persistent: 2 } as const;

/**
 * Makes a pod Ready when its rank has joined, and the lead's when the quorum is there and the RESTful server, if there is
 * one, answers. A startup probe, because it costs nothing once it has succeeded; it has no deadline, which is JobStatus'
 * business.
 */
function startupProbe({ mode }: MiniClusterSpec) {
    return {
        exec: { command: ["/bin/sh", `${SCRIPTS_DIR}/ready.sh`] },
        initialDelaySeconds: FIRST_LOOK[mode],
        periodSeconds: 1,
        // The script gives up before.
        timeoutSeconds: 60,
        failureThreshold: 2147483647,
    };
}

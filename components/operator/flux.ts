import { stringify } from "smol-toml";

import { SHORTEST_CONNECT_TIMEOUT } from "../parts/connectTimeout";
import { readOptions } from "./options";
import { type Fields, needless, type Reader, type Values } from "./reader";

/** Image with Flux that the operator uses by default. */
const VIEW_IMAGE = "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble";
const PATH = "spec.flux";

/** Reads the operator's `spec.flux`. */
export function readFlux(reader: Reader, fields: Fields, args: Values): void {
    const broker: Values = args.broker ?? {};
    const attribute = (name: string, value: string) => (broker.attributes = { ...broker.attributes, [name]: value });
    const without = (name: string, text: string) => ({ [name]: reader.without(`${PATH}.${name}`, text) });
    reader.read(PATH, fields, {
        container: needless,
        arch: needless,
        minimalService: needless,
        noWaitSocket: needless,
        connectTimeout: (value: string) => (broker.connectTimeout = readTimeout(reader, value)),
        topology: (value) => (broker.topology = value),
        logLevel: (value) => (broker.logLevel = value),
        brokerConfig: (value) => {
            broker.config = value;
            reader.warn(
                `${PATH}.brokerConfig`,
                "is copied to broker.config; its paths and host names must be those of docs/how-it-works.md.",
            );
        },
        curveCert: (value: string) => (args.certificate = value),
        optionFlags: (value: string) => Object.assign(args, readOptions(reader, `${PATH}.optionFlags`, value)),
        environment: (value: Fields) => {
            const given = Object.entries(value).map(([name, text]) => [name, String(text)]);
            args.environment = { ...args.environment, ...Object.fromEntries(given) };
        },
        scheduler: (scheduler: Fields) => readScheduler(reader, scheduler, broker),
        archive: (archive: Fields) => attribute("content.restore", archive.path),
        ...without("submitCommand", "has no counterpart; use launcher, and flux submit in the command."),
        ...without("wrap", "has no counterpart."),
        ...without("disableSocket", "has no counterpart; the socket is in a directory of the pod."),
        ...without(
            "completeWorkers",
            "has no counterpart: a follower that has ended is restarted, and ends with the lead.",
        ),
        mungeSecret: (value) => (args.mungeSecret = value),
        ...without("bursting", "has no counterpart yet."),
    });
    // A whole broker.toml is the only configuration.
    const { config, extraConfig, ...rest } = broker;
    const isWhole = config !== undefined && extraConfig !== undefined;
    const merged = isWhole ? { ...rest, config: `${config}\n${extraConfig}` } : broker;
    if (Object.keys(merged).length > 0) {
        args.broker = merged;
    }
    readView(reader, fields.container ?? {}, args);
}

function readScheduler(reader: Reader, { queuePolicy, ...rest }: Fields, broker: Values): void {
    // The operator's default, which the default scheduler of Flux has too.
    if (queuePolicy !== undefined && queuePolicy !== "fcfs") {
        broker.scheduler = "fluxion";
        broker.extraConfig = stringify({ "sched-fluxion-qmanager": { "queue-policy": queuePolicy } });
        reader.warn(
            `${PATH}.scheduler.queuePolicy`,
            "is a policy of Fluxion, which the operator doesn't load. It is loaded now, so the image or the view needs flux-sched.",
        );
    }
    reader.read(`${PATH}.scheduler`, rest, { simple: needless });
}

/** Reads `spec.flux.container`. Unless it is disabled, the operator brings Flux from an image of its own. */
function readView(reader: Reader, container: Fields, args: Values): void {
    const path = `${PATH}.container`;
    const view: Values = { image: VIEW_IMAGE, prefix: "/opt/view", folders: ["/opt/software"] };
    const without = (name: string, text: string) => ({ [name]: reader.without(`${path}.${name}`, text) });
    reader.read(path, container, {
        disable: needless,
        name: needless,
        image: (value) => (view.image = value),
        pullAlways: (value) => (view.imagePullPolicy = value ? "Always" : undefined),
        imagePullSecret: (value) => (args.imagePullSecrets = [...(args.imagePullSecrets ?? []), value]),
        ...without("mountPath", "has no counterpart: Flux is at the path for which it was built."),
        ...without("workingDir", "has no counterpart."),
        ...without(
            "pythonPath",
            "has no counterpart: Flux finds its own Python. For other modules, set PYTHONPATH in environment.",
        ),
        ...without("resources", "are ignored: the init container has those of the Flux container."),
        ...without("securityContext", "is ignored: the init container has that of the Flux container."),
    });
    if (!container.disable) {
        args.view = Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined));
    }
}

/** Seconds of each unit of a Flux Standard Duration. */
const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * A Flux Standard Duration in seconds.
 * @see https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_23.html
 */
function readTimeout(reader: Reader, duration: string): number | undefined {
    if (duration === "") {
        return undefined;
    }
    const [, amount = "0", unit = "s"] = /^(\d+\.?\d*|\.\d+)(ms|s|m|h|d)?$/.exec(duration) ?? [];
    const seconds = Number(amount) * UNITS[unit];
    if (seconds < SHORTEST_CONNECT_TIMEOUT) {
        const reason = `is "${duration}", which broker.connectTimeout can't express; the default is used.`;
        reader.warn(`${PATH}.connectTimeout`, reason);
        return undefined;
    }
    return seconds;
}

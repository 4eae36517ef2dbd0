import { stringify } from "smol-toml";
import { SHORTEST_CONNECT_TIMEOUT } from "../../components/features/broker/rules";
import { readOptions } from "./options";
import { type Fields, given, isEmpty, needless, type Reader, type Values } from "../reader";
import { VIEW } from "../template";

const PATH = "spec.flux";

/** Defaults of the operator that make the same as those of MiniCluster: only the log and the pauses of a start differ. */
const CONNECT_TIMEOUT = "5s";
const LOG_LEVEL = 6;

/** Reads the operator's `spec.flux`. */
export function readFlux(
    reader: Reader,
    fields: Fields,
    args: Values,
    { isBatch }: { readonly isBatch: boolean },
): void {
    const broker: Values = args.broker ?? {};
    const without = (name: string, text: string) => ({ [name]: reader.without(`${PATH}.${name}`, text) });
    reader.read(fields, {
        container: needless,
        arch: needless,
        minimalService: needless,
        noWaitSocket: needless,
        connectTimeout: (value: string) => (broker.connectTimeout = readTimeout(reader, value)),
        topology: (value) => (broker.topology = value || undefined),
        // logging.quiet has set it.
        logLevel: (value) => (broker.logLevel ??= value === LOG_LEVEL ? undefined : value),
        brokerConfig: (value) => value && readConfig(reader, value, broker),
        curveCert: (value) => (args.certificate = value || undefined),
        optionFlags: (value) => readFlags(reader, value, args, args.launcher && isBatch),
        environment: (value: Fields) => (args.environment = { ...args.environment, ...value }),
        scheduler: (scheduler: Fields) => readScheduler(reader, scheduler, broker),
        submitCommand: (value) => readSubmitCommand(reader, value),
        ...without(
            "wrap",
            "has no counterpart. Write the program before the command, or give the brokers its variables.",
        ),
        ...without(
            "disableSocket",
            "has no counterpart: the socket is in a directory of the pod, and FLUX_URI names it. Remove it.",
        ),
        ...without(
            "completeWorkers",
            "has no counterpart: a follower that has ended is restarted, and ends with the lead. Remove it.",
        ),
        mungeSecret: (value) => (args.mungeSecret = value || undefined),
        bursting: (value: Fields) => warnOfBursting(reader, value),
    });
    // A whole broker.toml is the only configuration.
    const { config, extraConfig, ...rest } = broker;
    const isWhole = config !== undefined && extraConfig !== undefined;
    const merged = given(isWhole ? { ...rest, config: `${config}\n${extraConfig}` } : broker);
    args.broker = Object.keys(merged).length > 0 ? merged : undefined;
    readView(reader, fields.container ?? {}, args);
}

function readConfig(reader: Reader, config: string, broker: Values): void {
    broker.config = config;
    reader.warn(
        `${PATH}.brokerConfig`,
        "is copied to broker.config; its paths and host names must be those of docs/how-it-works.md.",
    );
}

/** The options are those of the command that Flux runs as tasks. */
function readFlags(reader: Reader, text: string, args: Values, isBatch: boolean): void {
    if (isBatch && text.trim() !== "") {
        const reason = `is "${text.trim()}", options of flux batch; here each line of the batch is a job of the cluster itself.`;
        reader.warn(`${PATH}.optionFlags`, `${reason} Write the options into the lines.`);
    } else if (args.command !== undefined && !args.launcher) {
        Object.assign(args, readOptions(reader, `${PATH}.optionFlags`, text));
    }
}

/** Commands that do the same as the package. */
const SUBMIT = /^flux\s+(mini\s+)?(run|submit)$/;

function readSubmitCommand(reader: Reader, value: string): void {
    if (value.trim() !== "" && !SUBMIT.test(value.trim())) {
        const reason = `is "${value}", which has no counterpart.`;
        reader.warn(`${PATH}.submitCommand`, `${reason} Use launcher, and this command before yours.`);
    }
}

function warnOfBursting(reader: Reader, bursting: Fields): void {
    const cure = "make a MiniCluster for each Kubernetes cluster, and submit to each by FluxJob or flux proxy.";
    for (const [name, value] of Object.entries(bursting).filter(([, part]) => part !== "" && !isEmpty(part))) {
        const shown = name === "hostlist" ? `is "${value}", which has` : "has";
        reader.warn(
            `${PATH}.bursting.${name}`,
            `${shown} no counterpart: a cluster has the pods of one Job. Instead, ${cure}`,
        );
    }
}

function readScheduler(reader: Reader, { queuePolicy }: Fields, broker: Values): void {
    // The operator's default, which the default scheduler of Flux has too.
    if (queuePolicy && queuePolicy !== "fcfs") {
        broker.scheduler = "fluxion";
        broker.extraConfig = stringify({ "sched-fluxion-qmanager": { "queue-policy": queuePolicy } });
        reader.warn(
            `${PATH}.scheduler.queuePolicy`,
            "is a policy of Fluxion, which the operator doesn't load. It is loaded now, so the image or the view needs flux-sched.",
        );
    }
}

/** Reads `spec.flux.container`. Unless it is disabled, the operator brings Flux from an image of its own. */
function readView(reader: Reader, container: Fields, args: Values): void {
    const path = `${PATH}.container`;
    const view: Values = { ...VIEW };
    const without = (name: string, text: string) => ({ [name]: reader.without(`${path}.${name}`, text) });
    const isDisabled = Boolean(container.disable);
    reader.read(container, {
        disable: needless,
        name: needless,
        image: (value) => (view.image = value || VIEW.image),
        pullAlways: (value) => (view.imagePullPolicy = value ? "Always" : undefined),
        imagePullSecret: (value) =>
            value && !isDisabled && (args.imagePullSecrets = [...(args.imagePullSecrets ?? []), value]),
        mountPath: (value) =>
            value &&
            value !== "/mnt/flux" &&
            reader.warn(
                `${path}.mountPath`,
                `is "${value}"; here Flux is at the path for which it was built, view.prefix. Use that path.`,
            ),
        ...without("workingDir", "has no counterpart: the init container only copies Flux. Remove it."),
        ...without(
            "pythonPath",
            "has no counterpart: Flux finds its own Python. For other modules, set PYTHONPATH in environment.",
        ),
        ...without("resources", "are ignored: the init container has those of the Flux container. Remove them."),
        ...without("securityContext", "is ignored: the init container has that of the Flux container. Remove it."),
    });
    if (!isDisabled) {
        args.view = given(view);
    }
}

/** Seconds of each unit of a Flux Standard Duration. */
const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * A Flux Standard Duration in seconds.
 * @see https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_23.html
 */
function readTimeout(reader: Reader, duration: string): number | undefined {
    if (duration === "" || duration === CONNECT_TIMEOUT) {
        return undefined;
    }
    const [, amount = "0", unit = "s"] = /^(\d+\.?\d*|\.\d+)(ms|s|m|h|d)?$/.exec(duration) ?? [];
    const seconds = Number(amount) * UNITS[unit];
    if (seconds < SHORTEST_CONNECT_TIMEOUT) {
        const reason = `is "${duration}", which broker.connectTimeout can't express; the default is used.`;
        reader.warn(
            `${PATH}.connectTimeout`,
            `${reason} Give a number of seconds from ${SHORTEST_CONNECT_TIMEOUT} on.`,
        );
        return undefined;
    }
    return seconds;
}

/** Reads the operator's `spec.logging`. */
export function readLogging(reader: Reader, logging: Fields, args: Values): void {
    const broker: Values = args.broker ?? {};
    reader.read(logging, {
        quiet: (value) => (broker.logLevel = value ? 0 : undefined),
        strict: needless,
        timed: reader.without(
            "spec.logging.timed",
            "has no counterpart; see the output timings, or write time before the command.",
        ),
        debug: reader.without("spec.logging.debug", "has no counterpart; see broker.logLevel."),
        zeromq: (value) => {
            if (value) {
                broker.attributes = { ...broker.attributes, "tbon.zmqdebug": "1" };
            }
        },
    });
    args.broker = broker;
}

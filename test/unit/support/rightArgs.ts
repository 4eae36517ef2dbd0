import { join } from "node:path";

import fc from "fast-check";

import type { PlainArgs } from "../../../components/args";
import { OnDamage } from "../../../components/features/archive";
import { WaitFor } from "../../../components/features/update";
import { ViewMethod } from "../../../components/features/view";
import { ARGUMENTS } from "../../../components/generated/shapes";
import { ResultRanks } from "../../../components/features/results";
import { OnRankLoss } from "../../../components/features/attempts/lossPolicy";
import { Network } from "../../../components/features/network/kind";
import { curveCertificate } from "../../../provider/contract/curveKey";
import { RUN_OPTION_NAMES } from "../../../provider/contract/runOptions";

const QUEUES = '[queues.a]\n[queues.b]\n[policy.jobspec.defaults.system]\nqueue = "a"';

/** Stands for the first of the volumes that can be written to. */
const WRITABLE = "writable";

type Values = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const optional = (fields: Values) => fc.record(fields, { requiredKeys: [] });
const integer = (min: number, max = 2147483647) =>
    fc.oneof(fc.integer({ min, max: Math.min(max, min + 9) }), fc.integer({ min, max }));

const text = fc.string({ unit: "grapheme", maxLength: 30 }).filter((some) => !some.includes("\0"));
const label = fc.stringMatching(/^[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,4})?$/);
const domain = fc.stringMatching(/^[a-z0-9]{1,6}(\.[a-z]{1,4})?$/);
const qualified = fc
    .tuple(fc.option(domain), fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,6}[A-Za-z0-9])?$/))
    .map(([prefix, name]) => (prefix === null ? name : `${prefix}/${name}`));
const labels = fc.dictionary(qualified, fc.stringMatching(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,6}[A-Za-z0-9])?)?$/), {
    maxKeys: 3,
});
const annotations = fc.dictionary(qualified, text, { maxKeys: 3 });
const variable = fc
    .stringMatching(/^[A-Z_][A-Za-z0-9_]{0,8}$/)
    .filter((name) => !/^(FLUX|MINICLUSTER|JOB_)/.test(name));
const environment = fc.dictionary(variable, text, { maxKeys: 3 });
const image = fc.constantFrom(
    "registry.example/flux:1",
    "flux",
    "localhost:5000/a/b:v1.2",
    `quay.io/a@sha256:${"0a".repeat(32)}`,
);
const command = fc
    .tuple(fc.constantFrom("sh", "/bin/a b", "ø"), fc.array(text, { maxLength: 3 }))
    .map(([first, rest]) => [first, ...rest]);
const quantity = fc.constantFrom("1Gi", "512Mi", "2e9", "1.5Gi", "16M", "0");
const pull = fc.constantFrom("Always", "IfNotPresent", "Never");
const file = fc.constantFrom("/srv/out", "log.{{id}}", "a b-{{node.name}}");
const folder = fc.stringMatching(/^(\/[a-z0-9]{1,6}){1,3}$/).map((path) => `/srv${path}`);

const resources = fc.constantFrom<NonNullable<PlainArgs["resources"]>>(
    {},
    { limits: { cpu: "64", memory: "8Gi" } },
    { limits: { cpu: "64" }, requests: { cpu: "500m", memory: "1Gi" } },
    { limits: { cpu: "64", "nvidia.com/gpu": "8" }, requests: { "nvidia.com/gpu": "8" } },
    { limits: { cpu: "64", "example.com/npu": "8" } },
    { requests: { cpu: "64.5", "ephemeral-storage": "1Gi" } },
);
const securityContext = fc.constantFrom(
    {},
    { allowPrivilegeEscalation: false },
    { readOnlyRootFilesystem: false, capabilities: { drop: ["ALL"] } },
);

const toleration = fc.oneof(
    fc.record({ operator: fc.constant("Exists") }),
    fc.record({
        key: qualified,
        operator: fc.constant("Exists"),
        effect: fc.constantFrom("NoSchedule", "PreferNoSchedule"),
    }),
    fc.record({
        key: qualified,
        value: fc.constantFrom("", "yes"),
        effect: fc.constant("NoExecute"),
        tolerationSeconds: integer(0),
    }),
);

const nfs = { nfs: { server: "10.0.0.1", path: "/export" } };
const items = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.stringMatching(/^[a-z]{1,4}(\/[a-z]{1,4})?$/), {
    minKeys: 1,
    maxKeys: 2,
});
const source: fc.Arbitrary<object> = fc.oneof(
    fc.record({ configMap: domain, items }, { requiredKeys: ["configMap"] }),
    fc.record({ secret: domain, items }, { requiredKeys: ["secret"] }),
    fc.record(
        { persistentVolumeClaim: domain, subPath: fc.constantFrom("a", "a/b") },
        { requiredKeys: ["persistentVolumeClaim"] },
    ),
    fc.record({ hostPath: folder }),
    fc.record({ emptyDir: optional({ medium: fc.constantFrom("", "Memory"), sizeLimit: quantity }) }),
    fc.record({ projected: fc.constant([{ configMap: { name: "settings" } }, { secret: { name: "some" } }]) }),
    fc.record({
        csi: fc.record(
            {
                driver: fc.constant("csi.example.com"),
                attributes: environment,
                fsType: fc.constant("ext4"),
                secret: domain,
            },
            { requiredKeys: ["driver"] },
        ),
    }),
    fc.record({ image }),
    fc.record({ source: fc.constant(nfs) }),
);
const volumes = fc.array(fc.tuple(label, source, fc.option(fc.constant(true))), { maxLength: 3 }).map((all) =>
    all.map(([name, of, readOnly], index) => ({
        name: `v${index}${name}`,
        mountPath: `/data/${index}`,
        ...of,
        ...(readOnly ? { readOnly } : {}),
    })),
);

const program = { command, environment, image, resources, securityContext };
const sidecars = fc
    .array(fc.record({ ...program, leadOnly: fc.boolean() }, { requiredKeys: ["image", "command"] }), { maxLength: 2 })
    .map((all) => all.map((one, index) => ({ name: `side-${index}`, ...one })));
const services = fc
    .array(fc.tuple(fc.record(program, { requiredKeys: ["image"] }), fc.integer({ min: 1, max: 9 })), { maxLength: 2 })
    .map((all) =>
        all.map(([one, first], index) => ({
            name: `shared-${index}`,
            ...one,
            ports: [9000 + 10 * index, 9000 + 10 * index + first],
        })),
    );

const clients = fc.constantFrom(
    [],
    [{ podSelector: {} }],
    [{ namespaceSelector: {}, podSelector: { matchLabels: { app: "a" } } }, { ipBlock: { cidr: "10.0.0.0/8" } }],
);
const metrics = optional({
    annotations: fc.boolean(),
    clients,
    enabled: fc.boolean(),
    podMonitor: optional({ interval: fc.constantFrom("30s", "1m30s"), labels }),
    // The ports of brokers and servers are elsewhere.
    port: fc.integer({ min: 9100, max: 9999 }),
});
const restful = optional({
    authentication: fc.boolean(),
    clients,
    enabled: fc.boolean(),
    indexUrl: fc.constantFrom("https://pypi.example/simple", "file:///wheels"),
    port: fc.integer({ min: 1024, max: 8000 }),
    requirements: fc.constant("flux-restful==1.1.0 --hash=sha256:00\n"),
    rotate: text,
    tlsSecret: domain,
    user: fc.stringMatching(/^[a-z][a-z0-9._@-]{0,8}$/),
    version: fc.constant("1.1.0"),
    workers: integer(1, 9),
});

/** The key pair of ZeroMQ's documentation. */
const PAIR = {
    publicKey: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
    secretKey: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6",
};

/** Values of the arguments for which all values of their form are right. */
function plainValues(): Values {
    const all = Object.entries(ARGUMENTS).flatMap(([name, shape]): [string, fc.Arbitrary<unknown>][] => {
        if (shape === "boolean") {
            return [[name, fc.boolean()]];
        }
        return typeof shape === "object" && "choice" in shape ? [[name, fc.constantFrom(...shape.choice)]] : [];
    });
    return Object.fromEntries(all);
}

/** Right values of each argument, without regard to the other arguments. */
export const RIGHT_VALUES: Values = {
    ...plainValues(),
    affinity: fc.constant({
        nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
            },
        },
    }),
    annotations,
    archive: fc
        .tuple(
            fc.constantFrom({ hostPath: "/mnt" }, { persistentVolumeClaim: "claim" }, { source: nfs }),
            optional({ folder: label, onDamage: fc.constantFrom(...Object.values(OnDamage)), period: integer(0) }),
        )
        .map(([where, how]) => ({ ...where, ...how })),
    backoffLimit: integer(0),
    broker: optional({
        attributes: fc.dictionary(
            fc.constantFrom("content.hash", "log-level", "log-ring-size"),
            // Flux refuses other texts for a level. Numbers below 128 hide the failure of a module.
            fc.stringMatching(/^([a-z][a-z0-9]{0,4}|[2-9][0-9]{2,4})$/),
            { maxKeys: 3 },
        ),
        config: text,
        connectTimeout: fc.integer({ min: 1, max: 100 }).map((tenths) => tenths / 10),
        extraConfig: fc.constantFrom("", "# nothing\n", '[policy.limits]\nduration = "1h"', QUEUES),
        logLevel: fc.integer({ min: 0, max: 7 }),
        scheduler: fc.constantFrom("fluxion", "sched-backfill"),
        port: fc.integer({ min: 8060, max: 8999 }),
        topology: fc.constantFrom("custom", "kary:2", "mincrit", "mincrit:3", "binomial"),
    }).map(({ config: whole, extraConfig, ...rest }) =>
        whole === undefined ? { ...rest, extraConfig } : { ...rest, config: whole },
    ),
    certificate: fc.constant(curveCertificate("own", PAIR)),
    certificateSecret: domain,
    clusterDomain: fc.constantFrom("cluster.local", "k8s.example"),
    code: fc
        .constantFrom({}, { path: "/opt/code" }, { exclude: ["bin"], include: ["*.key"] })
        .map((more) => ({ source: join(__dirname, "../../golden/code"), ...more })),
    command,
    context: text,
    checkpoint: optional({ seconds: integer(1, 200), signal: fc.constantFrom("TERM", "SIGUSR2") }),
    cores: integer(64, 128),
    coresPerTask: integer(1, 4),
    activeDeadlineSeconds: integer(1),
    disruptionBudget: fc.boolean(),
    drainTimeout: integer(0, 200),
    elastic: optional({ cooldown: integer(1), sleepAfter: integer(10) }),
    environment,
    errorFile: file,
    fluxQueue: fc.constantFrom("a", "b"),
    gpuResources: fc.constantFrom([], ["nvidia.com/gpu"], ["example.com/npu"]),
    gpus: integer(4, 9),
    gpusPerTask: integer(0, 1),
    hooks: optional({ init: text, lead: text, post: text, pre: text, worker: text }),
    image,
    imagePullSecrets: fc.uniqueArray(domain, { maxLength: 2 }),
    inputFile: file,
    podLabels: labels,
    podAnnotations: annotations,
    kubeconfig: fc.oneof(text, fc.constant({ kind: "Config" })),
    labels,
    maxSize: integer(8, 99),
    metrics,
    minSize: integer(1, 1),
    mungeSecret: domain,
    name: label,
    namespace: label,
    nodes: integer(1, 8),
    nodeSelector: labels,
    onRankLoss: fc.constantFrom(...Object.values(OnRankLoss)),
    outputFile: file,
    output: fc.oneof(
        optional({ maxBytes: integer(0), secret: fc.boolean() }),
        optional({ maxBytes: integer(0), stream: fc.boolean() }),
    ),
    podSecurityContext: fc.constantFrom(
        {},
        { runAsNonRoot: true },
        { supplementalGroups: [3000], seccompProfile: { type: "RuntimeDefault" } },
    ),
    podTemplate: fc.constantFrom(
        {},
        { spec: { shareProcessNamespace: true } },
        { metadata: { labels: { more: "labels" } }, spec: { dnsConfig: null } },
    ),
    preflight: fc.uniqueArray(
        fc.record(
            { name: label, script: text.map((some) => `true ${some}`), timeout: integer(1) },
            { requiredKeys: ["name", "script"] },
        ),
        { maxLength: 2, selector: ({ name }) => name },
    ),
    priorityClassName: domain,
    queueName: label,
    requires: fc.constantFrom("rank:0", "host:mc-[0-1] or not fast", "(a b) and -c"),
    rendezvous: optional({ port: fc.integer({ min: 1, max: 65535 }) }),
    resources,
    restful,
    rotate: text,
    runtimeClassName: domain,
    schedulerName: label,
    securityContext,
    serviceAccountName: domain,
    services,
    sharedMemory: quantity,
    shellOptions: fc.dictionary(
        fc.constantFrom("pmi", "verbose", "exit-timeout"),
        fc.constantFrom("none", "1", "a b"),
        {
            maxKeys: 2,
        },
    ),
    sidecars,
    signal: optional({ name: fc.constantFrom("TERM", "SIGUSR2"), timeLeft: integer(1, 99) }),
    size: integer(1, 8),
    tasks: integer(1, 8),
    tasksPerNode: integer(1, 8),
    terminationGracePeriodSeconds: fc.integer({ min: 230, max: 290 }),
    timeLimit: integer(100),
    timeouts: optional({
        completed: integer(1),
        delete: fc.integer({ min: 300, max: 900 }),
        imagePull: integer(1),
        podCreation: integer(1),
        podStart: integer(1),
        ready: integer(1),
        unschedulable: integer(1),
    }),
    tolerations: fc.array(toleration, { maxLength: 2 }),
    triggers: fc.array(fc.jsonValue(), { maxLength: 2 }),
    ttlSecondsAfterFinished: integer(0),
    urgency: integer(0, 31),
    user: optional({
        name: fc.stringMatching(/^[a-z_][a-z0-9_-]{0,6}$/).filter((name) => name !== "root"),
        uid: integer(1),
    }),
    view: fc
        .tuple(
            fc.uniqueArray(folder, { minLength: 1, maxLength: 3 }),
            optional({ imagePullPolicy: pull, method: fc.constantFrom(...Object.values(ViewMethod)) }),
            fc.boolean(),
        )
        .map(([[prefix, ...folders], how, hasPrefix]) => ({
            image: "registry.example/view:1",
            ...how,
            folders,
            ...(hasPrefix ? { prefix } : {}),
        })),
    volumes,
    workingDir: folder,
    results: optional({
        keepFor: integer(1),
        limit: quantity,
        onFailure: fc.boolean(),
        paths: fc.constantFrom(["out/", "*.png"], ["/srv/**/a b"]),
        ranks: fc.constantFrom(...Object.values(ResultRanks)),
        volume: fc.constant(WRITABLE),
        path: fc.constantFrom("a", "a/b"),
    }).map(({ paths = ["."], volume, path, ...more }) => ({
        paths,
        ...more,
        ...(volume === undefined ? {} : { volume, path }),
    })),
};

type Given = Record<string, any>;

/** The arguments with a volume of theirs for the results. */
function withVolume({ results, ...given }: Given): Given {
    if (results?.volume !== WRITABLE) {
        return results === undefined ? given : { ...given, results };
    }
    const found = given["volumes"]?.find(({ image: of, readOnly }: Given) => !of && !readOnly);
    return found === undefined ? given : { ...given, results: { ...results, volume: found.name } };
}

/** Arguments that contradict each other: each function returns the names to leave out. */
const CONFLICTS: readonly ((given: Given) => readonly string[])[] = [
    ({ command: words }) =>
        words
            ? ["archive", "drainTimeout", "elastic", "restful"]
            : ["code", "launcher", "results", ...RUN_OPTION_NAMES],
    ({ command: words, waitFor }) => (!words && waitFor === WaitFor.Completed ? ["waitFor"] : []),
    ({ launcher }) => (launcher ? RUN_OPTION_NAMES : []),
    ({ tasksPerNode }) => (tasksPerNode === undefined ? [] : ["coresPerTask", "gpusPerTask", "tasks"]),
    ({ nodes, size = 1, tasks }) => (nodes > size || nodes > tasks ? ["nodes"] : []),
    ({ signal, timeLimit }) => (signal === undefined || timeLimit !== undefined ? [] : ["signal"]),
    ({ command: words, launcher }) => (!words || launcher ? ["rendezvous"] : []),
    ({ cores, gpusPerTask, resources: amounts }) =>
        gpusPerTask > 0 && (amounts || cores) && !amounts?.limits?.["nvidia.com/gpu"] ? ["gpusPerTask"] : [],
    ({ gpuResources, resources: amounts }) =>
        gpuResources?.some((name: string) => !amounts?.limits?.[name]) ? ["gpuResources"] : [],
    ({ broker }) => (broker?.config === undefined && broker?.extraConfig !== QUEUES ? ["fluxQueue"] : []),
    // The tasks of the generated clusters may need more GPUs than this.
    ({ gpus, gpusPerTask }) => (gpusPerTask > 0 && gpus !== undefined ? ["gpus"] : []),
    ({ maxSize, minSize }) => (minSize === undefined ? [] : maxSize === undefined ? ["minSize"] : []),
    ({ command: words, launcher }) => (!words || launcher ? ["checkpoint", "onRankLoss"] : []),
    ({ minSize, nodes, onRankLoss, size = 1 }) =>
        onRankLoss === OnRankLoss.Continue && ((minSize ?? size) >= size || nodes) ? ["onRankLoss"] : [],
    ({ maxSize, nodes, onRankLoss, size = 1 }) =>
        onRankLoss === OnRankLoss.Rerun && (nodes ?? maxSize ?? size) > size ? ["onRankLoss"] : [],
    ({ certificate }) => (certificate === undefined ? [] : ["certificateSecret", "keygen"]),
    ({ certificateSecret }) => (certificateSecret === undefined ? [] : ["keygen"]),
    ({ munge, mungeSecret }) => (munge === false && mungeSecret !== undefined ? ["mungeSecret"] : []),
    ({ results }) => (results?.onFailure ? ["backoffLimit"] : []),
    ({ broker }) => (broker?.config === undefined ? [] : ["cores"]),
    ({ fqdn }) => (fqdn ? ["hostNetwork"] : []),
    ({ hostIPC }) => (hostIPC ? ["sharedMemory"] : []),
    ({ network }) => (network === Network.Hosts ? ["services"] : []),
    ({ queueName }) => (queueName === undefined ? [] : ["suspend"]),
    ({ maxSize, minSize = 1, resources: amounts }) =>
        maxSize > minSize && (amounts?.limits?.cpu ?? amounts?.requests?.cpu) !== undefined ? [] : ["elastic"],
    ({ podTemplate }) => (podTemplate?.spec?.shareProcessNamespace ? ["disruptionBudget", "elastic"] : []),
    ({ archive, elastic, suspend }) => (elastic?.sleepAfter && (!archive || suspend) ? ["elastic"] : []),
    ({ elastic, queueName }) => (elastic?.sleepAfter && queueName !== undefined ? ["activeDeadlineSeconds"] : []),
    ({ networkPolicy, restful: server }) => (server?.clients?.length > 0 && !networkPolicy ? ["restful"] : []),
    ({ metrics: server, networkPolicy }) => (server?.clients?.length > 0 && !networkPolicy ? ["metrics"] : []),
];

function compatible(given: Given): PlainArgs {
    const kept: Given = { ...given };
    for (const conflict of CONFLICTS) {
        for (const name of conflict(kept)) {
            delete kept[name];
        }
    }
    return kept as PlainArgs;
}

/** Valid arguments: any of them, except those that contradict each other. */
export const rightArgs: fc.Arbitrary<PlainArgs> = fc
    .record(RIGHT_VALUES, { requiredKeys: ["image"] })
    .map((given) => compatible(withVolume(given)));

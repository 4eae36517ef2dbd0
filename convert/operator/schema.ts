import {
    all,
    POD_SECURITY_CONTEXT,
    QUANTITIES,
    RESOURCES,
    SECURITY_CONTEXT,
    TEXTS,
    type Type,
    type Types,
} from "../types";

const VOLUMES: Type = {
    map: {
        fields: {
            ...all(
                "text",
                "claimName configMapName csiDriver emptyDirMedium emptyDirSizeLimit hostPath path secretName",
            ),
            ...all("flag", "emptyDir readOnly"),
            ...all(TEXTS, "csiDriverAttributes items"),
        },
    },
};

const CONTAINERS: Type = {
    list: {
        fields: {
            ...all("text", "command image imagePullPolicy imagePullSecret logs name workingDir"),
            ...all("flag", "batch batchRaw launcher noWrapEntrypoint pullAlways runFlux"),
            commands: { fields: all("text", "brokerPre init post pre prefix script servicePre workerPre") },
            environment: TEXTS,
            lifeCycle: { fields: all("text", "postStartExec preStopExec") },
            ports: { list: "number" },
            resources: RESOURCES,
            secrets: { map: { fields: all("text", "key name") } },
            // 0.2.0 and 0.2.1 have addCapabilities.
            securityContext: { fields: { ...SECURITY_CONTEXT.fields, addCapabilities: { list: "text" } } },
            volumes: VOLUMES,
        },
    },
};

const BURSTING: Type = {
    fields: {
        clusters: { list: { fields: { name: "text", size: "number" } } },
        hostlist: "text",
        leadBroker: { fields: { ...all("text", "address name"), ...all("number", "port size") } },
    },
};

const FLUX: Types = {
    ...all("text", "arch brokerConfig connectTimeout curveCert mungeSecret optionFlags submitCommand topology wrap"),
    ...all("flag", "completeWorkers disableSocket minimalService noWaitSocket"),
    bursting: BURSTING,
    container: {
        fields: {
            ...all("text", "image imagePullSecret mountPath name pythonPath workingDir"),
            ...all("flag", "disable pullAlways"),
            resources: RESOURCES,
            securityContext: SECURITY_CONTEXT,
        },
    },
    environment: TEXTS,
    logLevel: "number",
    scheduler: { fields: { queuePolicy: "text", simple: "flag" } },
};

const POD: Types = {
    ...all(TEXTS, "annotations labels nodeSelector"),
    ...all("text", "dnsPolicy restartPolicy runtimeClassName schedulerName serviceAccountName"),
    ...all("flag", "automountServiceAccountToken hostIPC hostPID"),
    nodeAffinity: { map: { list: "text" } },
    resources: QUANTITIES,
    securityContext: POD_SECURITY_CONTEXT,
    tolerations: { list: { fields: all("text", "effect key operator value") } },
};

/** The types of `spec`, as in the operator's CustomResourceDefinition of v1alpha2. */
export const SPEC = {
    fields: {
        ...all("number", "backoffLimit deadlineSeconds maxSize minSize size tasks"),
        ...all("flag", "cleanup interactive shareProcessNamespace"),
        archive: { fields: { path: "text" } },
        containers: CONTAINERS,
        flux: { fields: FLUX },
        jobLabels: TEXTS,
        logging: { fields: all("flag", "debug quiet strict timed zeromq") },
        network: { fields: { disableAffinity: "flag", headlessName: "text" } },
        pod: { fields: POD },
        services: CONTAINERS,
    },
} satisfies Type;

import { POD_SECURITY_CONTEXT, QUANTITIES, RESOURCES, SECURITY_CONTEXT } from "../../schema/kubernetes";
import { all, TEXTS, type Type, type Types } from "../../schema/type";

/** Versions of the operator's resource. */
export type Version = "v1alpha1" | "v1alpha2";

const COMMANDS = all("text", "brokerPre init post pre prefix workerPre");

const CONTAINER: Types = {
    ...all("text", "command image imagePullSecret logs name workingDir"),
    ...all("flag", "batch batchRaw launcher pullAlways runFlux"),
    environment: TEXTS,
    lifeCycle: { fields: all("text", "postStartExec preStopExec") },
    ports: { list: "number" },
    resources: RESOURCES,
    secrets: { map: { fields: all("text", "key name") } },
};

/** `addCapabilities` is a field of 0.2.0 and 0.2.1 only. */
const CONTEXT: Type = { fields: { ...SECURITY_CONTEXT.fields, addCapabilities: { list: "text" } } };

const CONTAINERS: Readonly<Record<Version, Types>> = {
    v1alpha1: {
        ...CONTAINER,
        commands: { fields: { ...COMMANDS, runFluxAsRoot: "flag" } },
        cores: "number",
        diagnostics: "flag",
        existingVolumes: {
            map: {
                fields: { ...all("text", "claimName configMapName path secretName"), items: TEXTS, readOnly: "flag" },
            },
        },
        fluxUser: { fields: { name: "text", uid: "number" } },
        securityContext: { fields: { addCapabilities: { list: "text" }, privileged: "flag" } },
        volumes: { map: { fields: { path: "text", readOnly: "flag" } } },
    },
    v1alpha2: {
        ...CONTAINER,
        commands: { fields: { ...COMMANDS, ...all("text", "script servicePre") } },
        imagePullPolicy: "text",
        noWrapEntrypoint: "flag",
        securityContext: CONTEXT,
        volumes: {
            map: {
                fields: {
                    ...all("text", "claimName configMapName csiDriver emptyDirMedium emptyDirSizeLimit hostPath path"),
                    ...all("flag", "emptyDir readOnly"),
                    ...all(TEXTS, "csiDriverAttributes items"),
                    secretName: "text",
                },
            },
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
    ...all("text", "brokerConfig connectTimeout curveCert mungeSecret optionFlags wrap"),
    bursting: BURSTING,
    logLevel: "number",
    minimalService: "flag",
    scheduler: { fields: { queuePolicy: "text" } },
};

const FLUX_OF: Readonly<Record<Version, Types>> = {
    v1alpha1: { ...FLUX, ...all("text", "curveCertSecret installRoot") },
    v1alpha2: {
        ...FLUX,
        ...all("text", "arch submitCommand topology"),
        ...all("flag", "completeWorkers disableSocket noWaitSocket"),
        container: {
            fields: {
                ...all("text", "image imagePullSecret mountPath name pythonPath workingDir"),
                ...all("flag", "disable pullAlways"),
                resources: RESOURCES,
                securityContext: SECURITY_CONTEXT,
            },
        },
        environment: TEXTS,
        scheduler: { fields: { queuePolicy: "text", simple: "flag" } },
    },
};

const POD: Types = {
    ...all(TEXTS, "annotations labels nodeSelector"),
    resources: QUANTITIES,
    serviceAccountName: "text",
};

const POD_OF: Readonly<Record<Version, Types>> = {
    v1alpha1: POD,
    v1alpha2: {
        ...POD,
        ...all("text", "dnsPolicy restartPolicy runtimeClassName schedulerName"),
        ...all("flag", "automountServiceAccountToken hostIPC hostPID"),
        nodeAffinity: { map: { list: "text" } },
        securityContext: POD_SECURITY_CONTEXT,
        tolerations: { list: { fields: all("text", "effect key operator value") } },
    },
};

const SPEC: Types = {
    ...all("number", "deadlineSeconds maxSize size tasks"),
    ...all("flag", "cleanup interactive shareProcessNamespace"),
    archive: { fields: { path: "text" } },
    jobLabels: TEXTS,
    logging: { fields: all("flag", "debug quiet strict timed zeromq") },
};

function spec(version: Version, rest: Types): Type {
    const containers: Type = { list: { fields: CONTAINERS[version] } };
    const parts = {
        containers,
        services: containers,
        flux: { fields: FLUX_OF[version] },
        pod: { fields: POD_OF[version] },
    };
    return { fields: { ...SPEC, ...parts, ...rest } };
}

/** The types of `spec`, as in the operator's CustomResourceDefinition of each version. */
export const SPECS: Readonly<Record<Version, Type>> = {
    v1alpha1: spec("v1alpha1", {
        fluxRestful: { fields: { ...all("text", "branch secretKey token username"), port: "number" } },
        network: { fields: { headlessName: "text" } },
        users: { list: { fields: all("text", "name password") } },
        volumes: {
            map: {
                fields: {
                    ...all("text", "capacity driver path secret secretNamespace storageClass volumeHandle"),
                    ...all(TEXTS, "annotations attributes claimAnnotations labels"),
                    delete: "flag",
                },
            },
        },
    }),
    v1alpha2: spec("v1alpha2", {
        ...all("number", "backoffLimit minSize"),
        network: { fields: { disableAffinity: "flag", headlessName: "text" } },
    }),
};

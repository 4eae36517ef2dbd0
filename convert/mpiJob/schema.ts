import { all, QUANTITIES, TEXTS, type Type, type Types } from "../types";

/** Types of Kubernetes' pod template. `any` is what the API server checks. */
const ENV: Type = { list: { fields: { ...all("text", "name value"), valueFrom: "any" } } };

const CONTAINER: Types = {
    ...all(
        "text",
        "image imagePullPolicy name restartPolicy terminationMessagePath terminationMessagePolicy workingDir",
    ),
    ...all(
        "any",
        "envFrom lifecycle livenessProbe ports readinessProbe resizePolicy restartPolicyRules securityContext",
    ),
    ...all("any", "startupProbe volumeDevices"),
    ...all({ list: "text" }, "args command"),
    ...all("flag", "stdin stdinOnce tty"),
    env: ENV,
    resources: { fields: { claims: "any", limits: QUANTITIES, requests: QUANTITIES } },
    volumeMounts: {
        list: {
            fields: {
                ...all("text", "mountPath mountPropagation name recursiveReadOnly subPath subPathExpr"),
                readOnly: "flag",
            },
        },
    },
};

const POD: Types = {
    ...all("text", "dnsPolicy hostname hostnameOverride nodeName preemptionPolicy priorityClassName restartPolicy"),
    ...all("text", "runtimeClassName schedulerName serviceAccount serviceAccountName subdomain"),
    ...all("flag", "automountServiceAccountToken enableServiceLinks hostIPC hostNetwork hostPID hostUsers"),
    ...all("flag", "setHostnameAsFQDN shareProcessNamespace"),
    ...all("number", "activeDeadlineSeconds priority terminationGracePeriodSeconds"),
    ...all(
        "any",
        "affinity dnsConfig ephemeralContainers hostAliases os overhead readinessGates resourceClaims resources",
    ),
    ...all("any", "schedulingGates securityContext tolerations topologySpreadConstraints volumes"),
    ...all({ list: { fields: CONTAINER } }, "containers initContainers"),
    imagePullSecrets: { list: { fields: { name: "text" } } },
    nodeSelector: TEXTS,
};

export const POD_TEMPLATE: Type = {
    fields: {
        metadata: {
            fields: { ...all(TEXTS, "annotations labels"), ...all("any", "creationTimestamp name namespace") },
        },
        spec: { fields: POD },
    },
};

const REPLICAS: Type = { fields: { replicas: "number", restartPolicy: "text", template: POD_TEMPLATE } };

/** Types of an MPIJob's `spec`, v2beta1. */
export const SPEC: Type = {
    fields: {
        ...all("text", "launcherCreationPolicy mpiImplementation sshAuthMountPath"),
        mpiReplicaSpecs: { fields: all(REPLICAS, "Launcher Worker") },
        runLauncherAsWorker: "flag",
        runPolicy: {
            fields: {
                ...all("text", "cleanPodPolicy managedBy"),
                ...all("number", "activeDeadlineSeconds backoffLimit ttlSecondsAfterFinished"),
                schedulingPolicy: {
                    fields: {
                        ...all("number", "minAvailable scheduleTimeoutSeconds"),
                        ...all("text", "priorityClass queue"),
                        minResources: QUANTITIES,
                    },
                },
                suspend: "flag",
            },
        },
        slotsPerWorker: "number",
    },
};

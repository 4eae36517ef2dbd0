import { QUANTITIES } from "../../schema/kubernetes";
import { all, type Type } from "../../schema/type";
import { POD_TEMPLATE } from "./pod";

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

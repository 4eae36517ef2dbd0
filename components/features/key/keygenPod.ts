import { FLUX_CONTAINER, namesOf } from "../../../provider/contract/names";
import { compact, type KubernetesObject, sortKeys } from "../../../provider/contract/object";
import { RUN_DIR } from "../../../provider/contract/paths";
import { TERMINATION_LOG } from "../../parts/paths";
import { podAnnotations, podLabels } from "../../parts/metadata";
import { RUN_MOUNT, volumeMounts, volumes } from "../../parts/mount";
import { whereToRun } from "../../parts/nodes";
import { runScript, scriptsIn, wholeScript } from "../../parts/scripts";
import { escapeExpansion, scriptVariables } from "../../parts/variables";
import type { MiniClusterSpec } from "../../spec";

/** More than `flux keygen` needs. A namespace with a quota refuses pods without requests and limits. */
const AMOUNTS = { cpu: "500m", memory: "128Mi" };

/** The pod that runs `flux keygen` once. The key is only in the pod's log. */
export function keygenPod(spec: MiniClusterSpec, namespace: string): KubernetesObject {
    return sortKeys({
        apiVersion: "v1",
        kind: "Pod",
        metadata: compact({
            name: namesOf(spec.name).keygen,
            namespace,
            labels: podLabels(spec),
            annotations: podAnnotations(spec),
        }),
        spec: compact({
            restartPolicy: "Never",
            enableServiceLinks: false,
            automountServiceAccountToken: false,
            serviceAccountName: spec.serviceAccountName,
            terminationGracePeriodSeconds: 1,
            activeDeadlineSeconds: spec.timeouts.ready,
            ...whereToRun(spec),
            containers: [container(spec)],
            volumes: volumes([RUN_MOUNT]),
        }),
    });
}

function container(spec: MiniClusterSpec): KubernetesObject {
    const variables = { cluster: spec.name, run: RUN_DIR, terminationLog: TERMINATION_LOG, view: spec.view?.prefix };
    return compact({
        name: FLUX_CONTAINER,
        // The pod needs Flux, but not the application.
        image: spec.view?.image ?? spec.image,
        imagePullPolicy: spec.view === undefined ? spec.imagePullPolicy : spec.view.imagePullPolicy,
        // The script is in the command, because the ConfigMap belongs to the Job, which is created later.
        command: [
            "/bin/sh",
            "-c",
            escapeExpansion(wholeScript(scriptsIn(__dirname, "keygen.sh")["keygen.sh"], runScript())),
        ],
        env: scriptVariables(variables),
        resources: { limits: AMOUNTS, requests: AMOUNTS },
        securityContext: spec.securityContext,
        volumeMounts: volumeMounts([RUN_MOUNT]),
    });
}

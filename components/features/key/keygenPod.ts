import { FLUX_CONTAINER, namesOf } from "../../../provider/contract/names";
import { compact, type KubernetesObject, sortKeys } from "../../../provider/contract/object";
import { RUN_DIR, TERMINATION_LOG } from "../../../provider/contract/paths";
import { podAnnotations, podLabels } from "../../parts/metadata";
import { RUN_MOUNT, volumeMounts, volumes } from "../../parts/mount";
import { whereToRun } from "../../parts/nodes";
import { fluxScript, scriptsIn, wholeScript } from "../../parts/scripts";
import { escapeExpansion, scriptVariables } from "../../parts/variables";
import type { MiniClusterSpec } from "../../spec";

/** What `flux keygen` needs, with room to spare; a namespace with a quota takes no pod that says nothing. */
const AMOUNTS = { cpu: "500m", memory: "128Mi" };

/** The one-off pod that runs `flux keygen`; the key is in its log and nowhere else. */
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
        // Nothing of the application is needed.
        image: spec.view?.image ?? spec.image,
        imagePullPolicy: spec.view === undefined ? spec.imagePullPolicy : spec.view.imagePullPolicy,
        // In the pod itself: what it would mount is the Job's, which comes after it.
        command: [
            "/bin/sh",
            "-c",
            escapeExpansion(wholeScript(scriptsIn(__dirname, "keygen.sh")["keygen.sh"], fluxScript())),
        ],
        env: scriptVariables(variables),
        resources: { limits: AMOUNTS, requests: AMOUNTS },
        securityContext: spec.securityContext,
        volumeMounts: volumeMounts([RUN_MOUNT]),
    });
}

import { labelsOf, namesOf } from "../names";
import { RUN_DIR, SCRIPTS_DIR, TERMINATION_LOG } from "../paths";
import type { MiniClusterSpec } from "../spec";
import { FLUX_CONTAINER } from "./container";
import { scriptVariables } from "./environment";
import { compact, type KubernetesObject, sortKeys } from "./object";
import { meshAnnotations, meshLabels, whereToRun } from "./pod";
import { type Mount, mounts, volumeMounts, volumes } from "./volumes";

/** What `flux keygen` needs, with room to spare; a namespace with a quota takes no pod that says nothing. */
const AMOUNTS = { cpu: "500m", memory: "128Mi" };

/** The one-off pod that runs `flux keygen`; the key is in its log and nowhere else. */
export function keygenPod(spec: MiniClusterSpec, namespace: string, files: Readonly<Record<string, string>>): KubernetesObject {
    const own = mounts(spec, files).filter(({ mountPath }) => [RUN_DIR, SCRIPTS_DIR].includes(mountPath));
    return sortKeys({
        apiVersion: "v1",
        kind: "Pod",
        metadata: compact({
            name: namesOf(spec.name).keygen,
            namespace,
            labels: { ...meshLabels(spec), ...spec.labels, ...labelsOf(spec.name) },
            annotations: meshAnnotations(spec),
        }),
        spec: compact({
            restartPolicy: "Never",
            enableServiceLinks: false,
            automountServiceAccountToken: false,
            serviceAccountName: spec.serviceAccountName,
            terminationGracePeriodSeconds: 1,
            activeDeadlineSeconds: spec.timeouts.ready,
            ...whereToRun(spec),
            containers: [container(spec, own)],
            volumes: volumes(own),
        }),
    });
}

function container(spec: MiniClusterSpec, own: readonly Mount[]): KubernetesObject {
    const variables = { cluster: spec.name, run: RUN_DIR, scripts: SCRIPTS_DIR, terminationLog: TERMINATION_LOG, view: spec.view?.prefix };
    return compact({
        name: FLUX_CONTAINER,
        // Nothing of the application is needed.
        image: spec.view?.image ?? spec.image,
        imagePullPolicy: spec.view === undefined ? spec.imagePullPolicy : spec.view.imagePullPolicy,
        command: ["/bin/sh", `${SCRIPTS_DIR}/keygen.sh`],
        env: scriptVariables(variables),
        resources: { limits: AMOUNTS, requests: AMOUNTS },
        securityContext: spec.securityContext,
        volumeMounts: volumeMounts(own),
    });
}

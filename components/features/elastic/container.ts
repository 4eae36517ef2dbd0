import { namesOf } from "../../../provider/contract/names";
import { compact, type KubernetesObject } from "../../../provider/contract/object";
import { FLUX_URI, GROUP_FILE, PASSWD_FILE, SCRIPTS_DIR, TERMINATION_LOG, TOKEN_DIR } from "../../parts/paths";
import { RUN_DIR } from "../../../provider/contract/paths";
import { asFlux } from "../../parts/asFlux";
import { type Mount, volumeMounts } from "../../parts/mount";
import { scriptVariables, variables } from "../../parts/variables";
import type { MiniClusterSpec } from "../../spec";
import { ELASTIC_TOKEN } from "./rights";

/** The native sidecar that sizes the cluster. On the followers it only waits. */
export function elasticContainer(spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject {
    const { environment, maxSize, minSize, terminationGracePeriodSeconds: grace } = spec;
    const own = mounts.filter((mount) => mount.bringsFlux || PATHS.includes(mount.mountPath));
    const parameters = {
        cluster: namesOf(spec.name).cluster,
        elastic: JSON.stringify({ grace, least: minSize, most: maxSize }),
        run: RUN_DIR,
        scripts: SCRIPTS_DIR,
        terminationLog: TERMINATION_LOG,
        token: TOKEN_DIR,
        view: spec.view?.prefix,
    };
    const paths = Object.fromEntries(Object.entries(environment).filter(([name]) => PATH_VARIABLES.includes(name)));
    return compact({
        ...asFlux(spec),
        name: "flux-elastic",
        restartPolicy: "Always",
        command: ["/bin/sh", `${SCRIPTS_DIR}/elastic.sh`],
        env: [...scriptVariables(parameters), { name: "FLUX_URI", value: FLUX_URI }, ...variables(paths)],
        resources: resources(spec),
        volumeMounts: volumeMounts([...own, ELASTIC_TOKEN]),
    });
}

/** Variables of the user by which the container finds Flux. */
const PATH_VARIABLES: readonly string[] = ["LD_LIBRARY_PATH", "PATH", "PYTHONPATH"];

/** The user's account in passwd is needed too: Flux' bindings look it up. */
const PATHS: readonly string[] = [GROUP_FILE, PASSWD_FILE, RUN_DIR, SCRIPTS_DIR];

/**
 * Compute resources of the container. A pod whose other container has CPUs of its own (Guaranteed) keeps them only if
 * the limits are the requests. The program needs 30 MB and less than 1 % of a core, but a second of a core to start.
 */
function resources({ resources: { limits, requests } }: MiniClusterSpec): KubernetesObject {
    const isGuaranteed = ["cpu", "memory"].every(
        (name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name],
    );
    const most = { cpu: "200m", memory: "128Mi" };
    return { limits: most, requests: isGuaranteed ? most : { cpu: "10m", memory: "64Mi" } };
}

import { namesOf } from "../../provider/contract/names";
import { compact, type KubernetesObject } from "../../provider/contract/object";
import { RUN_DIR } from "../../provider/contract/paths";
import type { MiniClusterSpec } from "../spec";
import { asFlux } from "./fluxContainer";
import { type Mount, volumeMounts } from "./mount";
import { FLUX_URI, GROUP_FILE, PASSWD_FILE, SCRIPTS_DIR, TERMINATION_LOG, TOKEN_DIR } from "./paths";
import { type Parameters, scriptVariables, variables } from "./variables";

interface LeadProgram {
    /** Name of its Python file, and of the container behind `flux-`. */
    readonly name: string;
    readonly token: Mount;
    /** Parameters besides those that all such programs have. */
    readonly parameters: Parameters;
}

/**
 * The native sidecar of a program that works beside the lead's broker, with a right in Kubernetes. On the followers it
 * only waits.
 */
export function leadProgram(
    spec: MiniClusterSpec,
    mounts: readonly Mount[],
    { name, parameters, token }: LeadProgram,
): KubernetesObject {
    const own = mounts.filter((mount) => mount.bringsFlux || PATHS.includes(mount.mountPath));
    const all = {
        ...parameters,
        cluster: namesOf(spec.name).cluster,
        run: RUN_DIR,
        scripts: SCRIPTS_DIR,
        terminationLog: TERMINATION_LOG,
        token: TOKEN_DIR,
        view: spec.view?.prefix,
    };
    const paths = Object.fromEntries(Object.entries(spec.environment).filter(([key]) => PATH_VARIABLES.includes(key)));
    return compact({
        ...asFlux(spec),
        name: `flux-${name}`,
        restartPolicy: "Always",
        command: ["/bin/sh", `${SCRIPTS_DIR}/lead-program.sh`, name],
        env: [...scriptVariables(all), { name: "FLUX_URI", value: FLUX_URI }, ...variables(paths)],
        resources: resources(spec),
        volumeMounts: volumeMounts([...own, token]),
    });
}

/** Variables of the user by which the container finds Flux. */
const PATH_VARIABLES: readonly string[] = ["LD_LIBRARY_PATH", "PATH", "PYTHONPATH"];

/** The user's account in passwd is needed too: Flux' bindings look it up. */
const PATHS: readonly string[] = [GROUP_FILE, PASSWD_FILE, RUN_DIR, SCRIPTS_DIR];

/**
 * Compute resources of the container. A pod whose other container has CPUs of its own (Guaranteed) keeps them only if
 * the limits are the requests. Such a program needs 30 MB and less than 1 % of a core, but a second of a core to start.
 */
function resources({ resources: { limits, requests } }: MiniClusterSpec): KubernetesObject {
    const isGuaranteed = ["cpu", "memory"].every(
        (name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name],
    );
    const most = { cpu: "200m", memory: "128Mi" };
    return { limits: most, requests: isGuaranteed ? most : { cpu: "10m", memory: "64Mi" } };
}

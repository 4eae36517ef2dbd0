import { hostsToDetect } from "../flux/brokerConfig";
import { namesOf } from "../../provider/contract/names";
import {
    ARCHIVE_DIR, CONFIG_DIR, FLUX_URI, HOSTS_FILE, MINIMUM_FLUX, MUNGE_DIR, MUNGE_KEY, RUN_DIR, SCRIPT_ENVIRONMENT, SCRIPTS_DIR, STATE_DIR,
    TERMINATION_LOG,
} from "../../provider/contract/paths";
import { Network, Placement } from "../args";
import { parseQuantity } from "../../provider/contract/quantity";
import type { MiniClusterSpec } from "../spec";
import { certificatePath } from "./key";
import type { KubernetesObject } from "../../provider/contract/object";
import { hostsPort } from "./service";
import { restfulVariables } from "./restful";

/** Key of a secret variable in the cluster's Secret. */
export function secretKey(variable: string): string {
    return `env.${variable}`;
}

/** Kubernetes expands $(NAME) in commands and variables; what the user wrote has to arrive as it is. */
export function escapeExpansion(text: string): string {
    return text.replaceAll("$", "$$$$");
}

/** Environment of the Flux container: the scripts' parameters, then the user's variables. */
export function environment(spec: MiniClusterSpec): KubernetesObject[] {
    return [
        ...scriptVariables(parameters(spec)),
        ...(spec.network === Network.Hosts ? [OWN_ADDRESS] : []),
        ...(spec.archive === undefined ? [] : [OWN_NAMESPACE]),
        ...restfulVariables(spec),
        { name: "FLUX_URI", value: FLUX_URI },
        ...variables(spec.environment),
        ...spec.secretNames.map((name) => ({
            name,
            valueFrom: { secretKeyRef: { name: namesOf(spec.name).secret, key: secretKey(name) } },
        })),
    ];
}

/** Variables as a user gives them, in one order. */
export function variables(texts: Readonly<Record<string, string>>): KubernetesObject[] {
    return Object.entries(texts)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => ({ name, value: escapeExpansion(value) }));
}

const OWN_ADDRESS = { name: SCRIPT_ENVIRONMENT.address, valueFrom: { fieldRef: { fieldPath: "status.podIP" } } };

const OWN_NAMESPACE = {
    name: SCRIPT_ENVIRONMENT.namespace,
    valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } },
};

type Parameters = Partial<Record<keyof typeof SCRIPT_ENVIRONMENT, string | undefined>>;

/** Parameters of the scripts as variables of a container; an empty one is as good as none. */
export function scriptVariables(values: Parameters): KubernetesObject[] {
    const names = Object.keys(SCRIPT_ENVIRONMENT) as (keyof Parameters)[];
    return names.flatMap((key) => {
        const value = values[key];
        return value === undefined || value === "" ? [] : [{ name: SCRIPT_ENVIRONMENT[key], value: escapeExpansion(value) }];
    });
}

/** Parameters of the scripts in the Flux container. */
function parameters(spec: MiniClusterSpec): Parameters {
    return {
        ...archiveParameters(spec),
        attributes: attributes(spec),
        certificate: certificatePath(spec),
        config: CONFIG_DIR,
        coresPerTask: numeral(spec.coresPerTask),
        cpus: wholeCpus(spec),
        detectHosts: hostsToDetect(spec),
        drainTimeout: spec.drainTimeout === 0 ? undefined : String(spec.drainTimeout),
        exclusive: String(spec.placement === Placement.Exclusive),
        gpusPerTask: numeral(spec.gpusPerTask),
        hostname: spec.hostNetwork ? spec.name : undefined,
        hosts: HOSTS_FILE,
        launcher: String(spec.launcher),
        lead: namesOf(spec.name).lead,
        logLevel: String(spec.broker.logLevel),
        minimumFlux: MINIMUM_FLUX,
        mungeKey: spec.munge === undefined ? undefined : `${MUNGE_DIR}/${MUNGE_KEY}`,
        mode: spec.mode,
        nodes: spec.minSize === spec.maxSize ? String(spec.maxSize) : undefined,
        quorum: String(spec.minSize),
        rankEnvironment: ["HOSTNAME", "JOB_COMPLETION_INDEX", ...spec.secretNames].join(" "),
        run: RUN_DIR,
        scripts: SCRIPTS_DIR,
        state: `${STATE_DIR}/state`,
        tasks: numeral(spec.tasks),
        terminationLog: TERMINATION_LOG,
        ...(spec.network === Network.Hosts ? { cluster: spec.name, hostsPort: String(hostsPort(spec)), subdomain: spec.subdomain } : {}),
        view: spec.view?.prefix,
        user: homeUser(spec),
    };
}

function archiveParameters({ archive, name }: MiniClusterSpec): Parameters {
    if (archive === undefined) {
        return {};
    }
    return {
        archive: `${ARCHIVE_DIR}/${archive.folder}`,
        archiveOnDamage: archive.onDamage,
        archivePeriod: archive.period === 0 ? undefined : String(archive.period),
        cluster: name,
    };
}

/** The user whose home has to be found; undefined where HOME is given. */
export function homeUser({ environment: given, secretNames, user }: MiniClusterSpec): string | undefined {
    return given.HOME !== undefined || secretNames.includes("HOME") ? undefined : user?.name;
}

function attributes(spec: MiniClusterSpec): string {
    return Object.entries(spec.broker.attributes)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `${name}=${value}`)
        .join("\n");
}

/**
 * The kubelet gives a container a CPU set of its own only in a Guaranteed pod, and only for whole CPUs. A container that
 * requests less than its limit has all CPUs of the node, which may be as many.
 * @see https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
 */
function wholeCpus({ resources: { limits, requests } }: MiniClusterSpec): string | undefined {
    const isGuaranteed = ["cpu", "memory"].every((name) => {
        const limit = parseQuantity(limits[name] ?? "");
        return limit !== undefined && parseQuantity(requests[name] ?? limits[name] ?? "") === limit;
    });
    const cpus = parseQuantity(limits["cpu"] ?? "");
    return isGuaranteed && Number.isInteger(cpus) ? String(cpus) : undefined;
}

function numeral(value: number | undefined): string | undefined {
    return value === undefined ? undefined : String(value);
}

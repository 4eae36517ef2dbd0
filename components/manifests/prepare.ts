import { Network } from "../args";
import { GROUP_FILE, HOME_DIR, HOSTS_FILE, PASSWD_FILE, PREPARED_DIR, SCRIPTS_DIR, STATE_DIR } from "../../provider/contract/paths";
import type { MiniClusterSpec } from "../spec";
import { scriptVariables } from "./environment";
import { compact, type KubernetesObject } from "../../provider/contract/object";
import { type Mount, volumeMounts } from "./volumes";

const PREPARED = { name: "flux-prepared", emptyDir: {} };

/** The files that an init container makes, where they are mounted in the Flux container. */
export function preparedMounts({ network, user }: MiniClusterSpec): Mount[] {
    return [
        ...(network === Network.Hosts ? [{ mountPath: HOSTS_FILE, subPath: "hosts", volume: PREPARED }] : []),
        ...(user === undefined
            ? []
            : [
                  { mountPath: PASSWD_FILE, subPath: "passwd", readOnly: true, volume: PREPARED },
                  { mountPath: GROUP_FILE, subPath: "group", readOnly: true, volume: PREPARED },
              ]),
    ];
}

/** The init container that prepares them; none where there is nothing to prepare. */
export function prepareContainers(spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject[] {
    if (preparedMounts(spec).length === 0) {
        return [];
    }
    const own = mounts.filter(({ mountPath }) => [SCRIPTS_DIR, STATE_DIR].includes(mountPath));
    const user = spec.user && { group: GROUP_FILE, home: HOME_DIR, passwd: PASSWD_FILE, user: spec.user.name };
    const hosts = spec.network === Network.Hosts ? HOSTS_FILE : undefined;
    const container = {
        name: "flux-prepare",
        image: spec.image,
        imagePullPolicy: spec.imagePullPolicy,
        command: ["/bin/sh", `${SCRIPTS_DIR}/prepare.sh`],
        env: scriptVariables({ ...user, hosts, prepared: PREPARED_DIR }),
        resources: compact({ limits: spec.resources.limits, requests: spec.resources.requests }),
        securityContext: spec.securityContext,
        volumeMounts: volumeMounts([...own, { mountPath: PREPARED_DIR, volume: PREPARED }]),
    };
    return [compact(container)];
}

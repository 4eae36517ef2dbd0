import { type Fields, filled, given, isEmpty, type Reader, type Values } from "../reader";
import { mainContainer, type Replicas } from "./replicas";

/** Capabilities that only sshd needs. */
const OF_SSH = ["AUDIT_WRITE", "SYS_CHROOT"];

/**
 * The security contexts of the pods. Processes run as the user of the launcher, who is also the one in ssh. A worker's
 * root is often only there for sshd.
 */
export function readContexts(reader: Reader, replicas: Replicas): Values {
    const { launcher, path, worker } = replicas;
    const [ofLauncher, ofWorker] = [launcher, worker].map(contextOf);
    const [runAsUser, runAsGroup] = ["runAsUser", "runAsGroup"].map(
        (name) => ofLauncher[name] ?? (ofWorker[name] || undefined),
    );
    const pod = withoutUser(worker.spec.securityContext);
    const { capabilities, ...container } = withoutUser(worker.spec.containers[0].securityContext);
    if (runAsUser !== undefined && worker.spec.securityContext?.runAsUser !== runAsUser && hasOthers(worker)) {
        const reason = `is ${runAsUser}; here it is podSecurityContext.runAsUser, so the other containers run as this user too.`;
        reader.warn(
            `${mainContainer(path)}.securityContext.runAsUser`,
            `${reason} Give those another runAsUser, if they need it.`,
        );
    }
    return given({
        podSecurityContext: filled(given({ ...pod, runAsUser, runAsGroup })),
        securityContext: filled(given({ ...container, capabilities: capabilitiesOf(capabilities) })),
    });
}

/** The context of the first container, with that of its pod. */
function contextOf({ spec }: Fields): Values {
    return { ...spec.securityContext, ...spec.containers[0].securityContext };
}

function withoutUser({ runAsGroup: _, runAsUser: __, ...context }: Fields = {}): Values {
    return context;
}

function hasOthers({ spec }: Fields): boolean {
    return spec.containers.length > 1 || !isEmpty(spec.initContainers ?? []);
}

function capabilitiesOf({ add = [], ...rest }: Fields = {}): Values | undefined {
    return filled(given({ ...rest, add: filled((add as string[]).filter((name) => !OF_SSH.includes(name))) }));
}

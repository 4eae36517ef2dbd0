import { Kube, type Patience } from "../../provider/kubernetes/client";
import type { Container } from "../../provider/kubernetes/streams/exec";
import { isTransient } from "../../provider/kubernetes/failures/failure";
import { FollowedLog, instanceOf, type LogReader } from "../../provider/kubernetes/streams/followedLog";
import { persist, type Tries } from "../../provider/kubernetes/persist";
import { findPod } from "../target/ranks";
import { say } from "../terminal/terminal";
import { tryAgain } from "../terminal/tryAgain";

/** Limits of a followed log. */
export interface Limits {
    /** Seconds of silence after which the log is requested again: a quiet connection may be a dead one. */
    readonly quiet: number;
    /** Milliseconds of tries without an answer after which the command ends. */
    readonly patience: number;
    /** Milliseconds between two tries. */
    readonly pause: number;
}

const LIMITS: Limits = { quiet: 300, patience: 120_000, pause: 1000 };

/** Requests aren't repeated by the client, whose 7 tries may take two minutes: the patience of the follower counts each. */
const ONCE: Patience = { seconds: 15, tries: 1 };

/** Takes the next bytes of a log. Nothing more is read until it has taken them. */
type Show = (bytes: Buffer) => Promise<void>;

/**
 * Shows the log of a container and its new lines until the container has ended. After a lost connection it continues,
 * without losing or repeating a line.
 */
export async function followLog(kube: Kube, container: Container, show: Show, limits: Limits = LIMITS): Promise<void> {
    const once = new Kube(kube.config, ONCE);
    let answered = () => {};
    const reader: LogReader = {
        show,
        look: async () => {
            const pod = await findPod(once, container.namespace, container.pod);
            return pod && instanceOf(pod, container.container);
        },
        lost: () => say(LOST),
        answered: () => answered(),
    };
    const log = new FollowedLog(once, container, reader, limits);
    const attempt = async (tries: Tries) => {
        answered = tries.answered;
        return (await log.readOn()) || undefined;
    };
    await persist(attempt, { ...limits, isPassing: isTransient, tell: tryAgain(kube.server) });
}

const LOST = "lines may be missing here: the kubelet had rotated the log before it was read";

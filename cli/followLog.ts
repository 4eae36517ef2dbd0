import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";

import { Kube, type Patience } from "../provider/kube/client";
import type { Container } from "../provider/kube/exec";
import { isTransient, sentence } from "../provider/kube/failure";
import { LogLines } from "../provider/kube/logLines";
import { pause } from "../provider/kube/pause";
import { type LogPart, readLog } from "../provider/kube/podLog";
import { findPod } from "./ranks";
import { progress } from "./terminal";

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
    const log = new Log(new Kube(kube.config, ONCE), container, show, limits);
    const { signal } = new AbortController();
    while (!(await log.readOn())) {
        await pause(limits.pause, signal);
    }
}

class Log {
    private readonly lines = new LogLines();
    /** The instance of the container whose log is shown. */
    private id = "";
    private lostAt: number | undefined;

    constructor(
        private readonly kube: Kube,
        private readonly container: Container,
        private readonly show: Show,
        private readonly limits: Limits,
    ) {}

    /** Shows lines until the connection ends. True if there are no more lines. */
    async readOn(): Promise<boolean> {
        try {
            // Before the log, because only the log of a container that has ended is complete.
            const instance = await look(this.kube, this.container);
            this.id ||= instance?.id ?? "";
            const part = partOf(instance, this.id);
            if (part !== undefined) {
                await this.read(part);
            }
            return part?.follow !== true || instance?.hasEnded === true;
        } catch (error) {
            this.overcome(error);
            return false;
        }
    }

    /** Reads until the log ends or is silent for long. */
    private async read(part: LogPart): Promise<void> {
        const asked = { ...part, timestamps: true, sinceTime: this.lines.since };
        this.lines.again();
        try {
            for await (const chunk of readLog(this.kube, this.container, asked, this.limits.quiet)) {
                this.lostAt = undefined;
                await this.show(this.lines.next(chunk));
            }
        } catch (error) {
            if ((error as Error).name !== "TimeoutError") {
                throw error;
            }
        }
        this.lostAt = undefined;
    }

    private overcome(error: unknown): void {
        this.lostAt ??= Date.now();
        if (!isTransient(error) || Date.now() - this.lostAt >= this.limits.patience) {
            throw error;
        }
        progress(`${sentence(error)}; trying again`);
    }
}

/** An instance of a container; a container that restarts has several. */
interface Instance {
    /** Empty before its start. */
    readonly id: string;
    readonly hasEnded: boolean;
    /** The instance before it. */
    readonly previous?: string;
}

/** The newest instance of a container; undefined if its pod doesn't exist. */
async function look(kube: Kube, { container, namespace, pod }: Container): Promise<Instance | undefined> {
    const found = await findPod(kube, namespace, pod);
    return found && instanceOf(statusesOf(found).find(({ name }) => name === container));
}

function statusesOf({ status }: V1Pod): V1ContainerStatus[] {
    const { containerStatuses = [], ephemeralContainerStatuses = [], initContainerStatuses = [] } = status ?? {};
    return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
}

function instanceOf(status: V1ContainerStatus | undefined): Instance {
    const id = status?.containerID ?? "";
    const hasEnded = id !== "" && status?.state?.running === undefined;
    return { id, hasEnded, previous: status?.lastState?.terminated?.containerID };
}

/** What is left to read of the instance with this id, or of the first one; undefined if its log doesn't exist any more. */
function partOf(instance: Instance | undefined, id: string): LogPart | undefined {
    if (id === "" || instance?.id === id) {
        return { follow: true };
    }
    return instance?.previous === id ? { previous: true } : undefined;
}

import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";

import type { Kube } from "../client";
import type { Container } from "./exec";
import { LogLines } from "./logLines";
import { type LogPart, readLog } from "./podLog";

/** An instance of a container; a container that restarts has several. */
export interface Instance {
    /** Empty before its start. */
    readonly id: string;
    readonly hasEnded: boolean;
    /** The instance before it. */
    readonly previous?: string;
}

/** The newest instance of a container of a pod. */
export function instanceOf({ status }: V1Pod, container: string): Instance {
    const { containerStatuses = [], ephemeralContainerStatuses = [], initContainerStatuses = [] } = status ?? {};
    const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
    return instanceIn(all.find(({ name }) => name === container));
}

function instanceIn(status: V1ContainerStatus | undefined): Instance {
    const id = status?.containerID ?? "";
    const hasEnded = id !== "" && status?.state?.running === undefined;
    return { id, hasEnded, previous: status?.lastState?.terminated?.containerID };
}

/** What a followed log needs of its reader. */
export interface LogReader {
    /** The newest instance of the container; undefined if its pod doesn't exist. */
    look(): Instance | undefined | Promise<Instance | undefined>;
    /** Takes the next bytes of the log. Nothing more is read until it has taken them. */
    show(bytes: Buffer): Promise<void> | void;
    /** Lines before the next bytes are missing: the kubelet had rotated them away. */
    lost(): void;
    /** An answer of the API server has arrived. */
    answered(): void;
}

/** How a followed log is read. */
export interface Following {
    /** Seconds of silence after which the log is requested again: a quiet connection may be a dead one. */
    readonly quiet: number;
    /** Ends the connection. */
    readonly signal?: AbortSignal;
    /** Lines of the log, counted from its end, with which the first request begins. Without it, that is the whole log. */
    readonly tailLines?: number;
}

/** The log of one instance of a container. After a lost connection it continues, without losing or repeating a line. */
export class FollowedLog {
    private readonly lines = new LogLines();
    /** The instance of the container whose log is shown. */
    private id = "";

    constructor(
        private readonly kube: Kube,
        private readonly container: Container,
        private readonly reader: LogReader,
        private readonly following: Following,
    ) {}

    /** Shows lines until the connection ends. True if there are no more lines. */
    async readOn(): Promise<boolean> {
        // Before the log, because only the log of a container that has ended is complete.
        const instance = await this.reader.look();
        this.id ||= instance?.id ?? "";
        const part = partOf(instance, this.id);
        if (part !== undefined) {
            await this.read(part);
        }
        return part?.follow !== true || instance?.hasEnded === true;
    }

    /** Reads until the log ends or is silent for long. */
    private async read(part: LogPart): Promise<void> {
        const { quiet: seconds, signal, tailLines } = this.following;
        const { since } = this.lines;
        const begin = since === undefined ? { tailLines } : { sinceTime: since };
        if (since === undefined && tailLines !== undefined) {
            this.lines.skipEarlier();
        }
        this.lines.again();
        try {
            const asked = { ...part, ...begin, timestamps: true };
            for await (const chunk of readLog(this.kube, this.container, asked, { seconds, signal })) {
                this.reader.answered();
                const fresh = this.lines.next(chunk);
                if (this.lines.takeGap()) {
                    this.reader.lost();
                }
                await this.reader.show(fresh);
            }
        } catch (error) {
            if ((error as Error).name !== "TimeoutError") {
                throw error;
            }
        }
        this.reader.answered();
    }
}

/** What is left to read of the instance with this id, or of the first one; undefined if its log doesn't exist any more. */
function partOf(instance: Instance | undefined, id: string): LogPart | undefined {
    if (id === "" || instance?.id === id) {
        return { follow: true };
    }
    return instance?.previous === id ? { previous: true } : undefined;
}

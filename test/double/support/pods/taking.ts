import type { Limits } from "./cgroup";
import { fill } from "./disks";

/** What a job takes of its pod in words of bash, and what is left to the pod then. */
export interface Taking {
    readonly what: string;
    readonly take: string;
    readonly left: Limits;
}

/** All that a job can take of a pod whose disks these are. */
export const takings = (disks: readonly string[]): readonly Taking[] => [
    {
        what: "all CPU, with 16 busy processes at 500m",
        take: "for i in {1..16}; do while :; do :; done & children+=($!); done",
        left: { cpu: 500 },
    },
    { what: "all memory but 16 MiB", take: "head -c 32M /dev/zero >/dev/shm/all", left: { memoryLeft: 16 * 2 ** 20 } },
    {
        what: "all processes",
        take: "for i in {1..50}; do sleep 1000 & children+=($!); done",
        left: { processesLeft: 0 },
    },
    {
        // A simulated hook needs two: nsenter and the hook's shell, which then can't start a third.
        what: "all processes but two",
        take: "for i in {1..50}; do sleep 1000 & children+=($!); done",
        left: { processesLeft: 2 },
    },
    { what: "all descriptors", take: "while exec {fd}</dev/null; do :; done 2>/dev/null", left: {} },
    { what: `the disks ${disks.join(" and ")}`, take: disks.map(fill).join("; "), left: {} },
];

/** A job that takes something, makes the file `took`, and ends by words that start no process. */
export const takingJob = ({ take }: Taking, took: string, end: string): string => `exec {clock}<> <(:)
children=()
leave() { ((\${#children[@]} == 0)) || kill -s KILL "\${children[@]}"; exit "$1"; }
trap 'leave 143' TERM
${take}
: >${took}
${end}`;

/** Words that wait a moment, and start no process. */
export const MOMENT = "read -rt 0.1 -u $clock";

/** The states and results by which `flux jobs --filter` selects jobs. */
export const STATES = [
    "pending",
    "running",
    "active",
    "inactive",
    "depend",
    "priority",
    "sched",
    "run",
    "cleanup",
    "completed",
    "failed",
    "canceled",
    "timeout",
] as const;

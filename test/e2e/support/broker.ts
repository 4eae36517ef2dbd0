/** Shell code that prints the pid of a pod's broker: a child of the supervisor, which the first process has started. */
export const FIND_BROKER =
    "for parent in $(cat /proc/1/task/1/children); do for child in $(cat /proc/$parent/task/$parent/children 2>/dev/null); do " +
    'grep -qs broker "/proc/$child/cmdline" && echo "$child"; done; done; true';

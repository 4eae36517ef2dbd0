import type { MakeChildren } from "../../children/children";

/**
 * What runs the Job again, and whether its log is a secret or printed: they are given as they are, the values of the
 * triggers may be secrets.
 */
export const updateChildren = ((_name, _family, { args: { output, triggers } }) => ({
    job: { triggers },
    status: () => ({ secretOutput: output?.secret || undefined, streamOutput: output?.stream || undefined }),
})) satisfies MakeChildren;

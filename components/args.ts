import type { Unwrap } from "@pulumi/pulumi";

import type { MiniClusterArgs } from "./features";

export type { MiniClusterArgs } from "./features";

/** Arguments without Outputs. `environment` has only the plain variables. */
export type PlainArgs = Unwrap<Omit<MiniClusterArgs, "context" | "kubeconfig" | "namespace" | "triggers">>;

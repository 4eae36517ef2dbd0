import * as pulumi from "@pulumi/pulumi";

import { MiniCluster } from "../../../components";

/* What the programs of the documents leave out: they use these names without declaring them. */

export const image = "fluxrm/flux-core:bookworm-v0.88.0";

/** It has a text for every key. */
export const config = new pulumi.Config("docs");

/** The other arguments of a MiniCluster, where a block shows only some. */
export const others = { image, size: 4, maxSize: 64 };

/** A persistent cluster. */
export const cluster = new MiniCluster("given", { image, size: 4, maxSize: 64 });

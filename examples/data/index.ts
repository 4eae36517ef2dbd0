import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();

// A task of each rank writes its part. A reader never sees half a part, because it gets its name when it is complete.
const STEP = `part=/data/results/part-$FLUX_TASK_RANK
mkdir -p /data/results
seq "$FLUX_TASK_RANK" "$FLUX_JOB_SIZE" 1000 >"$part.new"
mv "$part.new" "$part"
echo "task $FLUX_TASK_RANK on $(hostname) wrote $(wc -l <"$part") lines"`;

const cluster = new MiniCluster("data", {
    image: config.require("image"),
    size: config.getNumber("size") ?? 2,
    command: ["bash", "-c", STEP],
    volumes: [{ name: "data", mountPath: "/data", persistentVolumeClaim: config.get("claim") ?? "data" }],
    // The group of the image's user may write to a volume whose files belong to root.
    podSecurityContext: { fsGroup: 1000 },
});

export const output = cluster.output;
export { cluster };

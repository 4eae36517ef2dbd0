import * as pulumi from "@pulumi/pulumi";
import { FluxJob, MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();

const cluster = new MiniCluster("workflow", {
    image: config.require("image"),
    size: config.getNumber("size") ?? 2,
    restful: { enabled: false },
});

// A job runs after the jobs whose outputs are in its arguments, or in dependsOn. Independent jobs run side by side.
const mesh = new FluxJob("mesh", { cluster, command: ["seq", "1", "10"] });
const parts = [0, 1].map(
    (part) =>
        new FluxJob(`solve-${part}`, {
            cluster,
            // While an update waits, the row of the job shows how far it is: docs/progress.md.
            command: [
                "bash",
                "-c",
                `for n in $MESH; do
  minicluster-progress "0.$((n - 1))" "number $n of 10"
  ((n % 2 != ${part})) || ((sum += n))
done; echo "$sum"`,
            ],
            environment: { MESH: mesh.output },
            timeLimit: 60,
        }),
);
const sum = new FluxJob("sum", {
    cluster,
    command: pulumi
        .all(parts.map((part) => part.output))
        .apply((outputs) => ["expr", outputs[0].trim(), "+", outputs[1].trim()]),
});

export const result = sum.output;
export const jobs = { mesh: mesh.jobId, parts: parts.map((part) => part.jobId), sum: sum.jobId };
export { cluster };

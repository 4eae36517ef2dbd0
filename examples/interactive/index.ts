import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();

// One rank without jobs, up to maxSize ranks with jobs, and none when there were no jobs for `sleepAfter` seconds.
const cluster = new MiniCluster("flux", {
    image: config.require("image"),
    maxSize: config.getNumber("maxSize") ?? 3,
    resources: { requests: { cpu: "500m" } },
    elastic: { cooldown: 30, sleepAfter: config.getNumber("sleepAfter") ?? 600 },
    archive: { persistentVolumeClaim: config.require("claim") },
    // The image's user can then write to the volume.
    podSecurityContext: { fsGroup: 1000 },
    restful: { enabled: false },
});

// The commands of flux-minicluster find the cluster by this output.
export { cluster };

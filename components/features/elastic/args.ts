import type { Input } from "@pulumi/pulumi";

/**
 * How a persistent cluster sizes itself by its queue, from `minSize` to `maxSize` ranks. A container on the lead looks
 * at the jobs once a second and changes the size of the Job. It adds ranks at once, and removes idle ones after
 * `cooldown`. It never cancels a job. `size` is then only the number of ranks at the start.
 */
export interface ElasticArgs {
    /**
     * Seconds for which jobs must have needed fewer ranks before ranks are removed; 1 or more. If jobs need the removed
     * ranks again within that time, it is doubled, up to eight times.
     * @default 60
     */
    cooldown?: Input<number>;
    /**
     * Seconds without jobs after which the queue is saved in `archive` and the Job is suspended; 10 or more. `pulumi up`,
     * `npx flux-minicluster wake`, and a job that is submitted by `npx flux-minicluster submit` or a FluxJob wake the cluster.
     * @default never
     */
    sleepAfter?: Input<number>;
}

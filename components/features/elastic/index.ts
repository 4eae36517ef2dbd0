import type { Input, Unwrap } from "@pulumi/pulumi";

import { ANNOTATIONS } from "../../../provider/contract/labels";
import { namesOf } from "../../../provider/contract/names";
import { leadProgram } from "../../parts/leadProgram";
import { scriptsIn } from "../../parts/scripts";
import { tokenMount } from "../../parts/tokenMount";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";
import type { ElasticArgs } from "./args";
import { validateElastic } from "./rules";

export interface ElasticArguments {
    /**
     * Size the cluster by its queue. It needs a persistent cluster, a `maxSize` above `minSize`, and `cores` or a CPU
     * request in `resources`. Pulumi needs the rights on service accounts and roles of docs/rbac.yaml.
     * @default none: only `size` sets the size
     */
    elastic?: Input<ElasticArgs>;
}

interface ElasticSpec {
    /** Seconds. */
    readonly cooldown: number;
    /** Seconds. Undefined if the cluster never sleeps. */
    readonly sleepAfter?: number;
}

export interface Decided {
    /** Undefined if the cluster doesn't size itself. */
    readonly elastic?: ElasticSpec;
}

const SCRIPTS = [
    "elastic.py",
    "elastic_drains.py",
    "elastic_flux.py",
    "elastic_job.py",
    "elastic_place.py",
    "elastic_reason.py",
    "elastic_rule.py",
    "elastic_sizes.py",
    "elastic_sleep.py",
];

/** Beside the token is the Job's uid, by which the program never changes another Job of the same name. */
const TOKEN = tokenMount("flux-elastic", { uid: "metadata.labels['batch.kubernetes.io/controller-uid']" });

export const elastic: Feature<ElasticArguments, Decided> = {
    decide: ({ elastic: given }) => ({ elastic: given && decideElastic(given) }),
    problems: validateElastic,
    late: (args, spec) =>
        args.elastic !== undefined && spec.elastic === undefined ? [{ property: "elastic", reason: EMPTY }] : [],
    rights: {
        suffix: "elastic",
        areNeeded: ({ elastic: given }) => given !== undefined,
        // Its own Job, and no other object.
        rules: ({ name }) => [
            {
                apiGroups: ["batch"],
                resources: ["jobs"],
                resourceNames: [namesOf(name).cluster],
                verbs: ["get", "patch"],
            },
        ],
    },

    ...when(({ elastic: given }) => given, {
        files: () => scriptsIn(__dirname, ...SCRIPTS),
        sidecars: (_, spec, mounts) => [
            leadProgram(spec, mounts, {
                name: "elastic",
                token: TOKEN,
                parameters: { elastic: limitsOf(spec) },
            }),
        ],
        ownMounts: () => [TOKEN],
        // Not a part of the pods: a change replaces no pod.
        jobAnnotations: (settings) => ({ [ANNOTATIONS.elasticSettings]: JSON.stringify(settings) }),
    }),
};

function decideElastic({ cooldown = 60, sleepAfter }: Unwrap<ElasticArgs>): ElasticSpec {
    return { cooldown, sleepAfter };
}

/** What the program can't learn from Flux. */
function limitsOf({ maxSize, minSize, queueName, terminationGracePeriodSeconds: grace }: MiniClusterSpec): string {
    return JSON.stringify({ grace, least: minSize, most: maxSize, queued: queueName === undefined ? undefined : true });
}

const EMPTY =
    "is an Output and null, but Pulumi must know before any Output whether the cluster sizes itself. " +
    "Give an object, whose values may be Outputs, or leave the argument out.";

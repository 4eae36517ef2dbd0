import type { AccessArguments } from "./access";
import { type ArchiveArguments, archive } from "./archive";
import { type AttemptsArguments, attempts } from "./attempts";
import { type BrokerArguments, broker } from "./broker";
import { type BudgetArguments, budget } from "./budget";
import { type CodeArguments, code } from "./code";
import { type CommandArguments, command } from "./command";
import { type ElasticArguments, elastic } from "./elastic";
import { type EndingArguments, ending } from "./ending";
import { type EnvironmentArguments, environment } from "./environment";
import type { Feature, Together } from "./feature";
import { type FitArguments, fit } from "./fit";
import { type HooksArguments, hooks } from "./hooks";
import { type ImageArguments, image } from "./image";
import { type JobArguments, job } from "./job";
import { type KeyArguments, key } from "./key";
import { type MetricsArguments, metrics } from "./metrics";
import { type MungeArguments, munge } from "./munge";
import { type NameArguments, name } from "./name";
import { type NetworkArguments, network } from "./network";
import { type PlacementArguments, placement } from "./placement";
import { type PreflightArguments, preflight } from "./preflight";
import { progress } from "./progress";
import { type QueueArguments, queue } from "./queue";
import { type RendezvousArguments, rendezvous } from "./rendezvous";
import { type ResourcesArguments, resources } from "./resources";
import { type RestfulArguments, restful } from "./restful";
import { type ResultsArguments, results } from "./results";
import { type SecurityArguments, security } from "./security";
import { type ServicesArguments, services } from "./services";
import { type SidecarsArguments, sidecars } from "./sidecars";
import { type SizeArguments, size } from "./size";
import { type UpdateArguments, update } from "./update";
import { type UserArguments, user } from "./user";
import { type ViewArguments, view } from "./view";
import { type VolumesArguments, volumes } from "./volumes";

/**
 * All features. Mounts, ports and variables of the pod have the order of this list, so a change of the order replaces the
 * Jobs of all running clusters. No two features set the same field; only the user's annotations of pods, which `name`
 * sets as the last one, may replace those of another feature.
 */
const ALL = [
    size,
    image,
    command,
    code,
    progress,
    rendezvous,
    security,
    key,
    broker,
    resources,
    network,
    user,
    view,
    hooks,
    preflight,
    restful,
    archive,
    elastic,
    budget,
    metrics,
    munge,
    volumes,
    sidecars,
    services,
    environment,
    placement,
    ending,
    attempts,
    job,
    queue,
    fit,
    results,
    update,
    name,
] as const;

// In the order of the plugin's schema. `access` has arguments only.
/** Arguments of a MiniCluster. */
export interface MiniClusterArgs
    extends ImageArguments,
        CommandArguments,
        CodeArguments,
        ResultsArguments,
        AttemptsArguments,
        RendezvousArguments,
        SizeArguments,
        NameArguments,
        AccessArguments,
        EnvironmentArguments,
        ResourcesArguments,
        PlacementArguments,
        UserArguments,
        SecurityArguments,
        VolumesArguments,
        NetworkArguments,
        ViewArguments,
        SidecarsArguments,
        ServicesArguments,
        HooksArguments,
        PreflightArguments,
        BrokerArguments,
        RestfulArguments,
        ArchiveArguments,
        ElasticArguments,
        BudgetArguments,
        MetricsArguments,
        MungeArguments,
        KeyArguments,
        JobArguments,
        QueueArguments,
        EndingArguments,
        FitArguments,
        UpdateArguments {}

/** The decisions of all features. */
export type Decisions = Together<ReturnType<(typeof ALL)[number]["decide"]>>;

declare module "../spec" {
    interface MiniClusterSpec extends Decisions {}
}

/** The arguments of all features. */
export type Arguments = Together<Parameters<(typeof ALL)[number]["decide"]>[0]>;

/** All features as values of one type. */
export const FEATURES: readonly Feature<Arguments, object>[] = ALL;

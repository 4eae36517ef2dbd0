import { archive } from "./archive";
import { attempts } from "./attempts";
import { broker } from "./broker";
import { command } from "./command";
import { elastic } from "./elastic";
import { ending } from "./ending";
import { environment } from "./environment";
import type { Feature, Together } from "./feature";
import { hooks } from "./hooks";
import { image } from "./image";
import { job } from "./job";
import { key } from "./key";
import { munge } from "./munge";
import { name } from "./name";
import { network } from "./network";
import { placement } from "./placement";
import { rendezvous } from "./rendezvous";
import { resources } from "./resources";
import { restful } from "./restful";
import { security } from "./security";
import { services } from "./services";
import { sidecars } from "./sidecars";
import { size } from "./size";
import { update } from "./update";
import { user } from "./user";
import { view } from "./view";
import { volumes } from "./volumes";

/**
 * All features. Mounts, ports and variables of the pod have the order of this list, so a change of the order replaces the
 * Jobs of all running clusters. No two features set the same field; only the user's annotations of pods, which `name`
 * sets as the last one, may replace those of another feature.
 */
const ALL = [
    size,
    image,
    command,
    rendezvous,
    security,
    key,
    broker,
    resources,
    network,
    user,
    view,
    hooks,
    restful,
    archive,
    elastic,
    munge,
    volumes,
    sidecars,
    services,
    environment,
    placement,
    ending,
    attempts,
    job,
    update,
    name,
] as const;

/** The decisions of all features. */
export type Decisions = Together<ReturnType<(typeof ALL)[number]["decide"]>>;

/** The arguments of all features. */
export type Arguments = Together<Parameters<(typeof ALL)[number]["decide"]>[0]>;

/** All features as values of one type. */
export const FEATURES: readonly Feature<Arguments, object>[] = ALL;

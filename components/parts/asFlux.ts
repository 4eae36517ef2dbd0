import { compact, type KubernetesObject } from "../../provider/contract/object";
import type { MiniClusterSpec } from "../spec";

/** Image, resources and security context of a container that runs like the Flux container. */
export function asFlux({ image, imagePullPolicy, resources, securityContext }: MiniClusterSpec): KubernetesObject {
    return { image, imagePullPolicy, resources: compact({ ...resources }), securityContext };
}

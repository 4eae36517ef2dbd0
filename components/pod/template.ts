import { compact, type KubernetesObject, mergePatch } from "../../provider/contract/object";
import { FEATURES } from "../features";
import { podAccount } from "../features/podAccount";
import { volumes } from "../parts/mount";
import { whereToRun } from "../parts/nodes";
import type { MiniClusterSpec, Texts } from "../spec";
import { fluxContainer } from "./container";
import { initContainers } from "./initContainers";
import { mounts } from "./mounts";

/** The Job's pod template. */
export function podTemplate(spec: MiniClusterSpec, namespace: string, files: Texts): KubernetesObject {
    const labels = Object.assign({}, ...FEATURES.map((feature) => feature.podLabels?.(spec)));
    const annotations = Object.assign({}, ...FEATURES.map((feature) => feature.podAnnotations?.(spec)));
    const template = { metadata: { labels, annotations }, spec: podSpec(spec, namespace, files) };
    return mergePatch(template, spec.podTemplate);
}

function podSpec(spec: MiniClusterSpec, namespace: string, files: Texts): KubernetesObject {
    const all = mounts(spec, files);
    const init = initContainers(spec, all);
    return compact({
        restartPolicy: "Never",
        subdomain: spec.name,
        enableServiceLinks: false,
        serviceAccountName: podAccount(spec),
        ...whereToRun(spec),
        ...Object.assign({}, ...FEATURES.map((feature) => feature.pod?.(spec, namespace))),
        initContainers: init.containers,
        containers: [fluxContainer(spec, all)],
        volumes: volumes([...all, ...init.mounts]),
    });
}

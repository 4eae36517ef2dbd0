import type { Input } from "@pulumi/pulumi";

import { compact } from "../../../provider/contract/object";
import { PREPARED_DIR, SCRIPTS_DIR, TERMINATION_LOG } from "../../parts/paths";
import { asFlux } from "../../parts/fluxContainer";
import { lazily } from "../../parts/lazily";
import { type Mount, volumeMounts } from "../../parts/mount";
import { scriptsIn } from "../../parts/scripts";
import { scriptVariables } from "../../parts/variables";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, type InitContainer, when } from "../feature";
import { folderArgument, validateView } from "./rules";

/** How the pods get Flux from the image of a view. */
export const ViewMethod = {
    /** An init container copies the directories, once for each pod. */
    Copy: "copy",
    /** Kubernetes mounts the image. It does so by default from 1.35 on, if the nodes' container runtime supports it. */
    ImageVolume: "imageVolume",
} as const;

export type ViewMethod = (typeof ViewMethod)[keyof typeof ViewMethod];

export declare namespace ViewMethod {
    export type Copy = "copy";
    export type ImageVolume = "imageVolume";
}

/** Flux from a separate image, for an application's image without Flux. */
export interface ViewArgs {
    /** Image that has Flux, and everything that Flux needs, in separate directories (a Spack view, for example). */
    image: Input<string>;
    /** Absolute path for which Flux was built. `flux` is in its `bin`. @default `/opt/view` */
    prefix?: Input<string>;
    /**
     * Further directories that Flux needs, for example `/opt/software`. They hide directories of the application at the
     * same paths.
     * @default none
     */
    folders?: Input<Input<string>[]>;
    /**
     * How the pods get Flux from the image. With rights in one namespace only, the package can't find out whether the
     * cluster can mount images, so it copies by default.
     * @default ViewMethod.Copy
     */
    method?: Input<ViewMethod>;
    /**
     * When the kubelets pull the image: `Always`, `IfNotPresent` or `Never`.
     * @default the Kubernetes default
     * @values Always, IfNotPresent, Never
     */
    imagePullPolicy?: Input<string>;
}

export interface ViewArguments {
    /**
     * Flux from another image, for an application's image that has bash but no Flux. `attachCommand` and `npx
     * flux-minicluster shell` find Flux there; other commands of `kubectl exec` need `sh -c '. /run/flux/paths.env; flux
     * ...'`.
     * @default none: `image` has Flux
     */
    view?: Input<ViewArgs>;
}

interface ViewSpec {
    readonly image: string;
    readonly prefix: string;
    readonly folders: readonly string[];
    readonly method: ViewMethod;
    readonly imagePullPolicy?: string;
}

export interface Decided {
    readonly view?: ViewSpec;
}

export const view: Feature<ViewArguments, Decided> = {
    decide: ({ view: given }) => ({
        view:
            given &&
            lazily<ViewSpec>({
                image: () => given.image,
                prefix: () => given.prefix ?? "/opt/view",
                folders: () => given.folders ?? [],
                method: () => given.method ?? ViewMethod.Copy,
                imagePullPolicy: () => given.imagePullPolicy,
            }),
    }),

    problems: validateView,

    ...when(({ view: given }) => given, {
        parameters: ({ prefix }) => ({ view: prefix }),
        mounts: viewMounts,
    }),

    // Else Kubernetes mounts the image.
    ...when(({ view: given }) => given?.method === ViewMethod.Copy && given, {
        files: () => scriptsIn(__dirname, "view.sh"),
        initContainers: (given, spec, mounts) => [copyContainer(spec, given, mounts)],
    }),
};

const NAME = "flux-view";

/** Directories of the view. Containers that need Flux mount them at the paths for which they were built. */
function foldersOf({ folders, prefix }: ViewSpec): readonly string[] {
    return [prefix, ...folders];
}

function viewMounts(given: ViewSpec): Mount[] {
    const isCopied = given.method === ViewMethod.Copy;
    const source = isCopied
        ? { emptyDir: {} }
        : { image: compact({ reference: given.image, pullPolicy: given.imagePullPolicy }) };
    return foldersOf(given).map((folder, number) => ({
        argument: folderArgument(number),
        isPathGiven: true,
        mountPath: folder,
        subPath: isCopied ? String(number) : folder.slice(1),
        readOnly: true,
        bringsFlux: true,
        volume: { name: NAME, ...source },
    }));
}

function copyContainer(spec: MiniClusterSpec, given: ViewSpec, mounts: readonly Mount[]): InitContainer {
    const scripts = mounts.filter(({ mountPath }) => mountPath === SCRIPTS_DIR);
    const copy = { mountPath: PREPARED_DIR, volume: { name: NAME, emptyDir: {} } };
    const container = {
        ...asFlux(spec),
        name: NAME,
        image: given.image,
        imagePullPolicy: given.imagePullPolicy,
        command: ["/bin/sh", `${SCRIPTS_DIR}/view.sh`],
        args: foldersOf(given),
        env: scriptVariables({ prepared: PREPARED_DIR, terminationLog: TERMINATION_LOG }),
        volumeMounts: volumeMounts([...scripts, copy]),
    };
    return { container: compact(container) };
}

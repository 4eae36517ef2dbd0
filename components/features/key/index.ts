import type { Input, Unwrap } from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import { compact } from "../../../provider/contract/object";
import { MADE_CURVE_DIR, SCRIPTS_DIR, TERMINATION_LOG, TOKEN_DIR } from "../../parts/paths";
import { RUN_DIR } from "../../../provider/contract/paths";
import { asFlux } from "../../parts/fluxContainer";
import { certificateMount, certificatePath, isMadeInPods, madeKeySecret, TOKEN_MOUNT } from "./parts";
import { DEFAULT_KEYGEN, Keygen } from "./keygen";
import { lazily } from "../../parts/lazily";
import { type Mount, volumeMounts } from "../../parts/mount";
import { scriptsIn } from "../../parts/scripts";
import { scriptVariables } from "../../parts/variables";
import type { Decide, MiniClusterSpec } from "../../spec";
import type { Feature, InitContainer } from "../feature";
import { validateKey } from "./rules";

export { certificatePath, isMadeInPods } from "./parts";
export { Keygen } from "./keygen";

export interface KeyArguments {
    /**
     * How the CURVE key is made. `pod` and `initContainer` run `flux keygen` of the image.
     * @default Keygen.Native
     * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-keygen.html
     */
    keygen?: Keygen;
    /**
     * A certificate of your own: the text of the file that `flux keygen` writes, best as a Pulumi secret. It is checked
     * at preview.
     * @default none: see `keygen`
     * @secret
     */
    certificate?: Input<string>;
    /**
     * Name of a Secret in the same namespace whose key `curve.cert` is the certificate. When its content changes,
     * change `rotate` or `triggers`.
     * @default none: see `keygen`
     */
    certificateSecret?: Input<string>;
    /** A value. When it changes, the cluster gets a new CURVE key and is restarted. @default none */
    rotate?: Input<string>;
}

export interface Decided extends Decide<Omit<KeyArguments, "certificate">> {
    /** How the key is made, or which argument gives it. */
    readonly key: Keygen | "certificate" | "secret";
}

export const key: Feature<KeyArguments, Decided> = {
    decide: (args) =>
        lazily<Decided>({
            key: () => sourceOf(args),
            keygen: () => args.keygen,
            certificateSecret: () => args.certificateSecret,
            rotate: () => args.rotate,
        }),

    problems: validateKey,
    rights: {
        suffix: "curve",
        areNeeded: ({ keygen }) => keygen === Keygen.InitContainer,
        // The Secret that the lead fills, and no other one.
        rules: (spec) => [
            {
                apiGroups: [""],
                resources: ["secrets"],
                resourceNames: [madeKeySecret(spec)],
                verbs: ["get", "watch", "patch"],
            },
        ],
    },
    files: (spec) => (isMadeInPods(spec) ? scriptsIn(__dirname, "curve.py", "curve.sh") : {}),
    parameters: (spec) => ({ certificate: certificatePath(spec) }),
    mounts: (spec) => [certificateMount(spec)],
    initContainers: (spec, mounts) => (isMadeInPods(spec) ? [curveContainer(spec, mounts)] : []),
};

function sourceOf({ certificate, certificateSecret, keygen }: Unwrap<KeyArguments>): Decided["key"] {
    if (certificate !== undefined) {
        return "certificate";
    }
    return certificateSecret !== undefined ? "secret" : (keygen ?? DEFAULT_KEYGEN);
}

/** The init container that makes the key, or reads it from the Secret if it is already there. */
function curveContainer(spec: MiniClusterSpec, mounts: readonly Mount[]): InitContainer {
    const own = mounts.filter(({ mountPath }) => [MADE_CURVE_DIR, RUN_DIR, SCRIPTS_DIR].includes(mountPath));
    const writable = own.map((mount) =>
        mount.mountPath === MADE_CURVE_DIR ? { ...mount, readOnly: undefined } : mount,
    );
    const flux = mounts.filter(({ bringsFlux }) => bringsFlux);
    const variables = {
        certificate: certificatePath(spec),
        cluster: namesOf(spec.name).cluster,
        keySecret: madeKeySecret(spec),
        run: RUN_DIR,
        scripts: SCRIPTS_DIR,
        terminationLog: TERMINATION_LOG,
        token: TOKEN_DIR,
        view: spec.view?.prefix,
    };
    const container = {
        name: "flux-curve",
        ...asFlux(spec),
        command: ["/bin/sh", `${SCRIPTS_DIR}/curve.sh`],
        env: scriptVariables(variables),
        volumeMounts: volumeMounts([...writable, TOKEN_MOUNT, ...flux]),
    };
    return { container: compact(container), needsFlux: true, ownMounts: [TOKEN_MOUNT] };
}

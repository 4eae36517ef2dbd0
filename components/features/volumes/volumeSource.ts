import { compact, type KubernetesObject } from "../../../provider/contract/object";
import type { Texts } from "../../spec";

/** The source of a volume, without Outputs. Exactly one field is given, besides `items`. */
export interface VolumeSource {
    readonly persistentVolumeClaim?: string;
    readonly secret?: string;
    readonly configMap?: string;
    readonly hostPath?: string;
    readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
    readonly items?: Texts;
    readonly projected?: readonly KubernetesObject[];
    readonly csi?: {
        readonly driver: string;
        readonly attributes?: Texts;
        readonly fsType?: string;
        readonly secret?: string;
    };
    readonly image?: string;
    readonly source?: KubernetesObject;
}

/** The source of a Kubernetes volume. A CSI source has its own field `readOnly`. */
export function volumeSource(volume: VolumeSource & { readonly readOnly?: boolean }): KubernetesObject {
    const { configMap, csi, emptyDir, hostPath, image, persistentVolumeClaim, projected, secret, source } = volume;
    return {
        ...(configMap === undefined ? {} : { configMap: { name: configMap, ...chosen(volume) } }),
        ...(csi === undefined ? {} : { csi: csiSource(csi, volume.readOnly ?? false) }),
        ...(image === undefined ? {} : { image: { reference: image } }),
        ...(projected === undefined ? {} : { projected: { sources: projected } }),
        ...(emptyDir === undefined ? {} : { emptyDir: compact({ ...emptyDir }) }),
        ...(hostPath === undefined ? {} : { hostPath: { path: hostPath } }),
        ...(persistentVolumeClaim === undefined ? {} : { persistentVolumeClaim: { claimName: persistentVolumeClaim } }),
        ...(secret === undefined ? {} : { secret: { secretName: secret, ...chosen(volume) } }),
        ...source,
    };
}

/** The selected keys of a Secret or a ConfigMap, with their paths in the volume. */
function chosen(volume: VolumeSource): KubernetesObject {
    const pairs = Object.entries(volume.items ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return volume.items === undefined ? {} : { items: pairs.map(([key, path]) => ({ key, path })) };
}

function csiSource(
    { attributes, driver, fsType, secret }: NonNullable<VolumeSource["csi"]>,
    readOnly: boolean,
): KubernetesObject {
    const nodePublishSecretRef = secret === undefined ? undefined : { name: secret };
    return compact({
        driver,
        fsType,
        nodePublishSecretRef,
        readOnly: readOnly || undefined,
        volumeAttributes: attributes,
    });
}

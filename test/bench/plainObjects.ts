import type { PlainArgs } from "../../components/args";
import { resolveSpec } from "../../components/arguments/decide";
import { configFiles } from "../../components/pod/configMap";
import { job } from "../../components/pod/job";
import { headlessService, leadService } from "../../components/pod/services";
import { curveCertificate } from "../../provider/contract/curveKey";
import { configName, namesOf } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
import { CERTIFICATE_FILE } from "../../components/parts/paths";
import { makeKeyPair } from "../../provider/curveKey/keyPair";

/**
 * The objects of a MiniCluster, for a program that creates them with @pulumi/kubernetes alone. The Job is suspended,
 * because its pods would not get the address of the lead.
 */
export function plainObjects(
    name: string,
    namespace: string,
    args: PlainArgs,
): Readonly<Record<string, KubernetesObject>> {
    const spec = resolveSpec(name, args);
    const files = configFiles(spec);
    const manifest = job(spec, namespace, files);
    const unawaited = { ...manifest.metadata, annotations: { "pulumi.com/skipAwait": "true" } };
    const certificate = curveCertificate(name, makeKeyPair());
    const within = (object: KubernetesObject) => ({ ...object, metadata: { ...object.metadata, namespace } });
    return {
        lead: within(leadService(spec)),
        headless: within(headlessService(spec)),
        configMap: within({ metadata: { name: configName(name, files) }, data: files }),
        secret: within({ metadata: { name: namesOf(name).secret }, stringData: { [CERTIFICATE_FILE]: certificate } }),
        job: within({ metadata: unawaited, spec: { ...manifest.spec, suspend: true } }),
    };
}

import type { V1EndpointSlice, V1Service } from "@kubernetes/client-node";

import { namesOf } from "../../provider/contract/names";
import type { Kube } from "../../provider/kubernetes/client";
import { hasCode, ifThere, sentence } from "../../provider/kubernetes/failures/failure";
import { meanings, OF_DNS } from "./brokers";
import { fail, type Finding, ok, unchecked } from "./finding";
import type { Cluster, Place } from "./subject";

/** Whether the ranks can find each other: the Services, their addresses, and what the pods say of names. */
export async function checkNames(cluster: Cluster, { kube, namespace, name = "" }: Place): Promise<Finding[]> {
    const names = namesOf(name);
    const said = meanings(cluster.logs, (text) => OF_DNS.test(text));
    try {
        const lead = await ifThere(kube.getService(namespace, names.lead));
        const ranks = await ifThere(kube.getService(namespace, names.cluster));
        const addresses = ranks === undefined ? [] : [await published(kube, namespace, cluster, names.cluster)];
        return [leadAddress(cluster, lead, names.lead), ...present(ranks, names.cluster), ...addresses, ...said];
    } catch (error) {
        return [unchecked(`the Services: ${sentence(error)}`, "docs/rbac.yaml"), ...said];
    }
}

const RESTORE = "run pulumi refresh, then pulumi up: it creates the Service again";

/** The pods have the lead's address in /etc/hosts, so that they find it without DNS. */
function leadAddress({ job }: Cluster, service: V1Service | undefined, name: string): Finding {
    const alias = job.spec?.template.spec?.hostAliases?.find(({ hostnames }) => hostnames?.includes(name))?.ip;
    if (service === undefined) {
        return fail(`there is no Service ${name}`, RESTORE);
    }
    const { clusterIP } = service.spec ?? {};
    return alias === undefined || alias === clusterIP
        ? ok(`Service ${name} is at ${clusterIP}`)
        : fail(
              `Service ${name} is at ${clusterIP}, and the pods look for it at ${alias}`,
              "run pulumi up --replace for the Job",
          );
}

function present(service: V1Service | undefined, name: string): Finding[] {
    return service === undefined ? [fail(`there is no headless Service ${name}`, RESTORE)] : [];
}

/** Whether the host names of the running pods are published. */
async function published(kube: Kube, namespace: string, { seen }: Cluster, name: string): Promise<Finding> {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
    const running = seen.ranks().filter(({ startedAt, terminated }) => startedAt !== undefined && !terminated).length;
    try {
        const query = { labelSelector: `kubernetes.io/service-name=${name}` };
        const { items = [] } = await kube.read<{ items?: V1EndpointSlice[] }>(path, query);
        const count = new Set(items.flatMap(({ endpoints }) => endpoints?.map(({ hostname }) => hostname) ?? [])).size;
        return count >= running
            ? ok(`Service ${name} has the names of all ${running} running pods`)
            : fail(
                  `Service ${name} has the names of ${count} of ${running} running pods`,
                  "wait a moment; else look at kube-controller-manager, and at the selector of the Service",
              );
    } catch (error) {
        const cure = "optional: the right to list endpointslices of discovery.k8s.io";
        return unchecked(`the names in Service ${name}: ${sentence(error)}`, hasCode(error, 403) ? cure : undefined);
    }
}

import { processes } from "./clock";
import type { Provider } from "./steps";
import type { Host } from "./host";
import { requireNamespace } from "./apiServer";
import { type Kind, merge } from "./cluster";

/** Resources of the Kubernetes provider that the model has: the lead Service, and the ConfigMap of the Job. */
export const KUBERNETES: Readonly<Record<string, Provider>> = { ConfigMap: provider("configmaps"), Service: provider("services") };

/** As the Kubernetes provider does it with server-side apply: a create takes over what it finds, a delete asks nothing. */
function provider(kind: Kind): Provider {
    return {
        check: (_olds, news) => Promise.resolve({ inputs: news }),

        diff(_id, olds, news) {
            const names = (of: any) => [of.metadata.name, of.metadata.namespace];
            const replaces = JSON.stringify(names(olds)) === JSON.stringify(names(news)) ? [] : ["metadata"];
            const metadata = (of: any) => JSON.stringify([of.metadata.annotations, of.metadata.ownerReferences]);
            return Promise.resolve({ changes: replaces.length > 0 || metadata(olds) !== metadata(news), replaces, deleteBeforeReplace: false });
        },

        async create(inputs: any) {
            const { name, namespace } = inputs.metadata as { name: string; namespace: string };
            const { cluster, manager } = await here();
            requireNamespace(cluster, namespace);
            const live = cluster.get(kind, namespace, name);
            const marks = (of: any) => JSON.stringify(of.metadata.annotations);
            if (live !== undefined && live["manager"] !== manager && marks(live) !== marks(inputs)) {
                throw new Error(`Server-Side Apply field conflict detected: conflict with "${live["manager"]}"`);
            }
            const item = live === undefined ? cluster.create(kind, { ...inputs, manager }) : cluster.update(kind, live, merge(live, inputs));
            return { id: `${namespace}/${name}`, outs: { ...inputs, uid: item.metadata.uid, address: `10.0.0.${item.metadata.uid.slice(6, 8)}` } };
        },

        async read(id, props) {
            const [namespace, name] = id.split("/");
            const { cluster } = await here();
            const live = cluster.get(kind, namespace, name);
            return live === undefined ? {} : { id, props: { ...props, uid: live.metadata.uid } };
        },

        async update(id, olds: any, news: any) {
            const [namespace, name] = id.split("/");
            const { cluster } = await here();
            const live = cluster.get(kind, namespace, name);
            if (live === undefined) {
                throw new Error(`${kind} "${name}" not found`);
            }
            cluster.update(kind, live, merge(live, news));
            return { outs: { ...news, uid: olds.uid, address: olds.address } };
        },

        async delete(id) {
            const [namespace, name] = id.split("/");
            const { cluster } = await here();
            const live = cluster.get(kind, namespace, name);
            if (live !== undefined) {
                cluster.remove(kind, live);
            }
        },
    };
}

async function here() {
    const host = processes.getStore() as Host;
    const cluster = host.world.clusterAt("https://cluster");
    await cluster.clock.sleep(1);
    return { cluster, manager: host.stack };
}

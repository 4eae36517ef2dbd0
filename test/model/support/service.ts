import { processes } from "./clock";
import type { Provider } from "./steps";
import type { Host } from "./host";
import { SERVERS } from "./access";
import { requireNamespace } from "./apiServer";
import { merge } from "./cluster";

/** The lead Service in the Kubernetes provider with server-side apply: a create adopts an existing Service. */
export const service: Provider = {
    check: (_olds, news) => Promise.resolve({ inputs: news }),

    diff(_id, olds, news) {
        const names = (of: any) => [of.metadata.name, of.metadata.namespace];
        const replaces = JSON.stringify(names(olds)) === JSON.stringify(names(news)) ? [] : ["metadata"];
        const annotations = (of: any) => JSON.stringify(of.metadata.annotations);
        return Promise.resolve({
            changes: replaces.length > 0 || annotations(olds) !== annotations(news),
            replaces,
            deleteBeforeReplace: true,
        });
    },

    async create(inputs: any) {
        const { name, namespace } = inputs.metadata as { name: string; namespace: string };
        const { cluster, manager } = await here(inputs);
        requireNamespace(cluster, namespace);
        const live = cluster.get("services", namespace, name);
        if (live !== undefined && live["manager"] !== manager) {
            throw new Error(`Server-Side Apply field conflict detected: conflict with "${live["manager"]}"`);
        }
        const item =
            live === undefined
                ? cluster.create("services", { ...inputs, manager })
                : cluster.update("services", live, merge(live, inputs));
        return {
            id: `${namespace}/${name}`,
            outs: { ...inputs, uid: item.metadata.uid, address: `10.0.0.${item.metadata.uid.slice(6, 8)}` },
        };
    },

    async read(id, props) {
        const [namespace, name] = id.split("/");
        const { cluster } = await here(props);
        const live = cluster.get("services", namespace, name);
        return live === undefined ? {} : { id, props: { ...props, uid: live.metadata.uid } };
    },

    async update(id, olds: any, news: any) {
        const [namespace, name] = id.split("/");
        const { cluster } = await here(news);
        const live = cluster.get("services", namespace, name);
        if (live === undefined) {
            throw new Error(`services "${name}" not found`);
        }
        cluster.update("services", live, merge(live, news));
        return { outs: { ...news, uid: olds.uid, address: olds.address } };
    },

    async delete(id, props) {
        const [namespace, name] = id.split("/");
        const { cluster } = await here(props);
        const live = cluster.get("services", namespace, name);
        if (live !== undefined) {
            cluster.remove("services", live);
        }
    },
};

/** The cluster of the Kubernetes provider, whose address the model keeps in the inputs. */
async function here({ server = SERVERS.main }: { server?: string }) {
    const host = processes.getStore() as Host;
    const cluster = host.world.clusterAt(server);
    await cluster.clock.sleep(1);
    return { cluster, manager: host.stack };
}

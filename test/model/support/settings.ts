import { processes } from "./clock";
import type { Host } from "./host";
import type { Provider } from "./steps";

/**
 * A resource of the user on which the cluster depends. As with a ConfigMap that the user has named, another content is
 * a replacement, and the old resource is deleted first.
 */
export const settings: Provider = {
    check: (_olds, news) => Promise.resolve({ inputs: news }),

    diff(_id, olds: any, news: any) {
        const changes = olds.content !== news.content;
        return Promise.resolve({ changes, replaces: changes ? ["content"] : [], deleteBeforeReplace: true });
    },

    async create(inputs: any) {
        await latency();
        return { id: "settings", outs: { ...inputs, label: "settings", digest: inputs.content, namespace: "hpc" } };
    },

    async read(id, props) {
        await latency();
        return { id, props };
    },

    update: (_id, olds, news) => Promise.resolve({ outs: { ...olds, ...news } }),

    delete: () => latency(),
};

function latency(): Promise<void> {
    return (processes.getStore() as Host).world.clusterAt("").clock.sleep(1);
}

import { FluxJob, MiniCluster, ON_PLUGIN } from "./remote";

/* With PLUGIN=on, all tests of the package test the plugin too. */
if (ON_PLUGIN) {
    const path = require.resolve("flux-minicluster");
    const exported = { ...(require(path) as object), FluxJob, MiniCluster };
    require.cache[path]!.exports = Object.defineProperty(exported, "__esModule", { value: true });
}

import { FluxJob, MiniCluster } from "./remote";

/*
 * With PLUGIN=on, the tests' programs get components that the provider plugin constructs. So all tests of the package
 * test the plugin too.
 */
if (process.env.PLUGIN === "on") {
    const path = require.resolve("flux-minicluster");
    const exported = { ...(require(path) as object), FluxJob, MiniCluster };
    require.cache[path]!.exports = Object.defineProperty(exported, "__esModule", { value: true });
}

#!/usr/bin/env node
import { nodeProblem } from "../provider/contract/versions";
import { serve } from "./server/serve";
import { startComponents } from "./componentServer";
import { NativeHost } from "./nativeHost";
import { schema, version } from "./schema";

/** The provider plugin for programs in all languages: `pulumi-resource-flux-minicluster`. */
const problem = nodeProblem("the plugin");
if (problem !== undefined) {
    console.error(`flux-minicluster: ${problem}`);
    process.exit(1);
}
serve(new NativeHost(version(), schema, startComponents));

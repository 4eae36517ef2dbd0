#!/usr/bin/env node
import { serve } from "../provider/host/serve";
import { startComponents } from "./componentServer";
import { NativeHost } from "./nativeHost";
import { schema } from "./schema";

/** The provider plugin for programs in all languages: `pulumi-resource-flux-minicluster`. */
if (Number.parseInt(process.versions.node, 10) < 22) {
    console.error(`flux-minicluster: Node is ${process.versions.node}; the plugin needs 22.19 or later.`);
    process.exit(1);
}
const { version } = JSON.parse(schema()) as { version: string };
serve(new NativeHost(version, schema, startComponents));

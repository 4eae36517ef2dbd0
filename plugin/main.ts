#!/usr/bin/env node
import { serve } from "../provider/host/serve";
import { startComponents } from "./componentServer";
import { NativeHost } from "./nativeHost";
import { schema } from "./schema";

/** The provider plugin for programs in all languages: `pulumi-resource-flux-minicluster`. */
const { version } = JSON.parse(schema()) as { version: string };
serve(new NativeHost(version, schema, startComponents));

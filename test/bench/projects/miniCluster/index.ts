import * as pulumi from "@pulumi/pulumi";
import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

const config = new pulumi.Config();

export const phase = new MiniCluster(config.require("name"), config.requireObject<MiniClusterArgs>("args")).phase;

import { join } from "node:path";

import type { PlainArgs } from "../../../components/args";
import { OnRankLoss } from "../../../components/features/attempts/lossPolicy";
import { Keygen } from "../../../components/features/key/keygen";
import { Network } from "../../../components/features/network/kind";
import { Placement } from "../../../components/features/placement";

/** Clusters that together have all scripts. */
export const EVERY_FEATURE: readonly Partial<PlainArgs>[] = [
    { command: [], archive: { hostPath: "/archive" }, disruptionBudget: true, elastic: {}, metrics: {}, munge: true },
    {
        keygen: Keygen.InitContainer,
        network: Network.Hosts,
        sidecars: [{ name: "log", image: "log", command: ["log"], leadOnly: true }],
        user: {},
        view: { image: "view" },
    },
    {
        code: { source: join(__dirname, "../../golden/code") },
        rendezvous: {},
        // A client that fetches the results calls tar, as the code does.
        results: { paths: ["out/"], ranks: "all" },
        hooks: { init: "true" },
    },
    { preflight: [{ name: "gpu", script: "true" }], size: 2, minSize: 1 },
    { cores: 2, onRankLoss: OnRankLoss.Rerun, placement: Placement.Exclusive },
    {
        broker: { extraConfig: "[queues.debug]", scheduler: "fluxion" },
        resources: {
            limits: {
                "amd.com/gpu": "1",
                "aws.amazon.com/neuroncore": "1",
                "gpu.intel.com/xe": "1",
                "nvidia.com/mig-1g.5gb": "1",
            },
        },
    },
];

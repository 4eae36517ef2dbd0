import { join } from "node:path";

import { findProgram } from "./program";
import { goDir } from "./paths";
import type { Piece } from "./pieces";
import { sourcesOf } from "./goModule";

const MODULE = "sigs.k8s.io/kueue";

/**
 * Kueue, which admits Jobs to queues, with the versions of its own go.mod. Only clusters with KUEUE=on need it. The
 * edits let several clusters run it on one machine: it reads two of its certificates from fixed folders of the machine.
 */
export const kueue: Piece = {
    name: "kueue",
    module: "kueue",
    packages: [`${MODULE}/cmd/kueue`],
    cpuSeconds: 160,
    edited: [
        {
            module: MODULE,
            edits: [
                { file: "pkg/visibility/server.go", before: 'certDir = "/visibility"', after: 'certDir = "."' },
                {
                    file: "cmd/kueue/main.go",
                    before: 'metricsCertPath := "/etc/kueue/metrics/certs"',
                    after: 'metricsCertPath := "."',
                },
            ],
        },
    ],
};

/** The folder with Kueue's own configuration of a cluster, for kustomize. */
export async function kueueConfiguration(): Promise<string> {
    const sources = await sourcesOf(MODULE, { go: findProgram("go") ?? "go", dir: join(goDir, kueue.module) });
    return join(sources, "config/default");
}

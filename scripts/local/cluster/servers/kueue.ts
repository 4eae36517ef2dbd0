import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { certificate, dir, key, kubeconfigOf, networkNamespace, type Context } from "../folders";
import { answersOk } from "../request";
import { flags, type Server } from "./server";

export const kueuePorts = { health: 20350, visibility: 20351, webhook: 20352 };

/** Admits Jobs to queues. `startKueue` creates the objects that it needs. */
export function kueue({ addresses, programs, site }: Context): Server {
    const folder = join(dir.config, "kueue");
    const configuration = join(folder, "config.json");
    const host = addresses.controlPlane;
    return {
        name: "kueue",
        network: networkNamespace(site),
        command: join(programs.kueue, "kueue"),
        args: [...flags({ config: configuration, kubeconfig: kubeconfigOf("kueue"), "zap-log-level": 2 })],
        folder,
        prepare: () => {
            mkdirSync(folder, { recursive: true, mode: 0o700 });
            copyFileSync(certificate("kueue-server"), join(folder, "tls.crt"));
            copyFileSync(key("kueue-server"), join(folder, "tls.key"));
            writeFileSync(configuration, JSON.stringify(configurationOf(host, folder)));
        },
        isHealthy: () => answersOk(`http://${host}:${kueuePorts.health}/readyz`),
    };
}

const configurationOf = (host: string, certDir: string) => ({
    apiVersion: "config.kueue.x-k8s.io/v1beta2",
    kind: "Configuration",
    health: { healthProbeBindAddress: `${host}:${kueuePorts.health}` },
    metrics: { bindAddress: "0" },
    webhook: { host, port: kueuePorts.webhook, certDir },
    visibilityServer: { bindAddress: host, bindPort: kueuePorts.visibility },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
    integrations: { frameworks: ["batch/job"] },
});

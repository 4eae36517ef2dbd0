import { allHosts, hostlist } from "../../components/features/broker/hostlist";
import { curveCertificate } from "../../provider/contract/curveKey";
import { leadSelector } from "../../provider/contract/labels";
import { makeKeyPair } from "../../provider/curveKey/keyPair";
import type { Subject } from "./subject";

const NAME = "recipe";
const PORT = 8050;
const CONFIG = "/etc/flux/config";

/** The least that Flux needs in an Indexed Job, as one would write it by hand: no probes, no checks, no limits. */
export function recipe(size: number, image: string): Subject {
    return {
        name: "recipe",
        prepare: async (kube, namespace) => {
            const { core } = kube;
            const metadata = { name: NAME };
            const certificate = curveCertificate(NAME, makeKeyPair());
            const [service] = await Promise.all([
                core.createNamespacedService({
                    namespace,
                    body: {
                        metadata,
                        spec: { publishNotReadyAddresses: true, selector: leadSelector(NAME), ports: [{ port: PORT }] },
                    },
                }),
                core.createNamespacedConfigMap({
                    namespace,
                    body: { metadata, data: { "broker.toml": brokerToml(size), "start.sh": startScript(size) } },
                }),
                core.createNamespacedSecret({
                    namespace,
                    body: { metadata, stringData: { "curve.cert": certificate } },
                }),
            ]);
            return manifest(size, image, service.spec?.clusterIP ?? "");
        },
    };
}

function brokerToml(size: number): string {
    const followers = size === 1 ? "" : `, { host = "${hostlist(NAME, 1, size - 1)}" }`;
    return `[bootstrap]
curve_cert = "/etc/curve/curve.cert"
default_port = ${PORT}
default_bind = "tcp://*:%p"
default_connect = "tcp://%h:%p"
hosts = [ { host = "${NAME}-0", bind = "tcp://*:${PORT}", connect = "tcp://${NAME}-lead:${PORT}" }${followers} ]
[resource]
noverify = true
path = "/tmp/R"
`;
}

function startScript(size: number): string {
    const mark = (name: string) => `echo minicluster.${name}=$(date +%s.%N) >>/dev/termination-log`;
    return `set -eu
flux R encode --hosts="${allHosts(NAME, size)}" --cores=0 >/tmp/R
mkdir -p /tmp/state
options="-c ${CONFIG} -Stbon.connect_timeout=2s -Sstatedir=/tmp/state -Slog-stderr-level=3"
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
  exec flux broker $options bash -c '${mark("quorum")}; flux run -N${size} hostname; ${mark("ended")}'
else
  exec flux broker $options
fi
`;
}

function manifest(size: number, image: string, address: string) {
    const container = {
        name: "flux",
        image,
        imagePullPolicy: "IfNotPresent",
        command: ["/bin/bash", `${CONFIG}/start.sh`],
        volumeMounts: [
            { name: "config", mountPath: CONFIG },
            { name: "curve", mountPath: "/etc/curve" },
        ],
    };
    const spec = {
        restartPolicy: "Never",
        subdomain: NAME,
        terminationGracePeriodSeconds: 5,
        // The certificate is root's; the image may have another user.
        securityContext: { runAsUser: 0, runAsGroup: 0 },
        hostAliases: [{ ip: address, hostnames: [`${NAME}-lead`] }],
        containers: [container],
        volumes: [
            { name: "config", configMap: { name: NAME } },
            { name: "curve", secret: { secretName: NAME, defaultMode: 0o400 } },
        ],
    };
    return {
        metadata: { name: NAME },
        spec: {
            completionMode: "Indexed",
            completions: size,
            parallelism: size,
            backoffLimit: 0,
            successPolicy: { rules: [{ succeededIndexes: "0" }] },
            template: { spec },
        },
    };
}

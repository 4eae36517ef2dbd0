import { IMAGE, type Rule } from "./images";

/*
 * The patterns are for messages of flux-core 0.72 to 0.88. The first rule that matches a line is used. The sentences
 * quote nothing of the log, so that they can be shown even if the log is secret.
 */

const CONFIGURATION: readonly Rule[] = [
    {
        line: /Config file error: \S+\.toml:(\d+: |.* line \d)/,
        means: "The configuration is not valid TOML at the line that the log names. Correct broker.config.",
    },
    {
        line: /object item\(s\) left unpacked: /,
        means: "The configuration has a key that this version of Flux does not know. Correct or remove the key in broker.config.",
    },
    {
        line: /\[bootstrap\].* not found in hosts/,
        means:
            "bootstrap.hosts in broker.config has no entry for the name of this pod. List the names of all ranks " +
            "up to maxSize in it, or leave broker.config out. Without broker.config, podTemplate has given the pod another host " +
            "name: remove hostname and setHostnameAsFQDN from it, and set fqdn if programs need the whole name.",
    },
    {
        line: /curve_cert (must be defined|is required) for size > 1/,
        means: "broker.config has a table [bootstrap] without curve_cert. Set curve_cert in it, or leave broker.config out.",
    },
    {
        line: /(bind|connect) URI is undefined for rank|rank \d+ missing (bind|connect) URI/,
        means: "bootstrap in broker.config does not say where a rank listens. Set default_port, default_bind and default_connect in it.",
    },
    {
        line: /error parsing \[resource(\.config)?\]/,
        means:
            "Flux does not accept the table [resource] in broker.config. Correct the table, or remove it: the " +
            "resources of a rank then come from resources.limits.",
    },
    {
        line: /: unable to open \S+: No such file or directory/,
        means:
            "The configuration names a file that is not in the pod. Mount the file by volumes, or remove its " +
            "entry: without resource.path, the resources of a rank come from resources.limits.",
    },
    {
        line: /Config file error|error (parsing|reading) \[/,
        means: "Flux does not accept the configuration. Correct broker.config at the table that the log names.",
    },
    {
        line: /(?<![\w-])broker: (\S+: (unknown attribute|attribute may not be set on the command line)|[\w.-]+: Operation not permitted|setattr \S+=)/,
        means:
            "broker.attributes sets an attribute that this version of Flux does not know or that may not be set. " +
            "Correct or remove the attribute.",
    },
];

const CERTIFICATE: readonly Rule[] = [
    {
        line: /: readable by group\/other/,
        means:
            "Flux refuses the certificate because users other than its owner can read its file. Leave curve_cert " +
            "out of broker.config: the pods then use a private copy.",
    },
    {
        line: /(loading certificate: \S+|\.cert): (Permission denied|No such file or directory)/,
        means:
            "The broker cannot read the file of the certificate. Leave curve_cert out of broker.config, and set " +
            "podSecurityContext.fsGroup to a group of the pod's user.",
    },
    {
        line: /(loading certificate: \S+|\.cert): Invalid argument/,
        means:
            "The certificate is damaged or is not a CURVE certificate. Set certificate, or the Secret, to the " +
            "whole text of a file that flux keygen writes.",
    },
    {
        line: /handshake failed (protocol|auth)|overlay auth No access/,
        means:
            "Two ranks have different certificates. Give all ranks the same certificate, and let no other " +
            "cluster use the address and the port of this cluster.",
    },
    {
        line: /parent sockevent \S+ handshake failed/,
        means:
            "The connection to the lead was closed during its handshake: the certificates differ, or another " +
            "program answers at that address, such as a service mesh. Give all ranks the same certificate, and " +
            "exclude the port of the brokers from the mesh.",
    },
];

const NETWORK: readonly Rule[] = [
    {
        line: /error binding to \S+: Address already in use/,
        means:
            "Another program uses the port of the broker: with hostNetwork, mostly another cluster on the same " +
            "node. Set another broker.port.",
    },
    {
        line: /error binding to \S+: /,
        means:
            "The pod does not have the address or the network interface, or may not use the port. Set " +
            "default_bind in broker.config to tcp://*:%p, and broker.port to more than 1023.",
    },
    {
        line: /unable to resolve upstream peer/,
        means:
            "The name of the rank to connect to cannot be resolved. Correct default_connect and hosts in " +
            "broker.config; if they are right, check the DNS of the Kubernetes cluster.",
    },
    {
        line: /minicluster: \S+ has no \S+, so DNS has to find the lead/,
        means:
            "The file /etc/hosts of the pod does not have the lead's address, which Kubernetes writes into it. Mount no " +
            "volume at /etc/hosts; if there is none, check the DNS of the Kubernetes cluster.",
    },
    {
        line: /version mismatched with server/,
        means:
            "The ranks have different versions of Flux. Name the image by its digest or by a tag that always " +
            "means the same image, and change triggers.",
    },
    {
        line: /mismatched config\?/,
        means:
            "The ranks have different lists of hosts. Use the same broker.config for all pods, and change " +
            "triggers so that all pods start with it.",
    },
];

const FILES: readonly Rule[] = [
    {
        line: /No space left on device|database or disk is full/,
        means: "A disk of the pod is full. Raise the limit or the request of ephemeral-storage in resources, or make the volume larger.",
    },
    {
        line: /exceeds max \d+.*AF_UNIX socket/,
        means:
            "The path of the broker's socket is too long for Linux. Set a shorter rundir or local-uri in " +
            "broker.attributes, or leave both out.",
    },
    {
        line: /((rundir|statedir|local-uri directory) .*|cannot create directory in \S+): (Permission denied|Operation not permitted|Read-only file system|No such file or directory|Not a directory)|is not owned by instance owner|does not have owner=rwx permissions|unable to open database file|attempt to write a readonly database/,
        means:
            "Flux cannot use one of its directories: it must exist, be writable and belong to the pod's user. " +
            "Leave rundir, statedir and local-uri out of broker.attributes, or correct the permissions on the " +
            "volume.",
    },
    {
        line: /flux-restore: (?!restored |writing snapshot )/,
        means:
            "Flux cannot restore the queue of an earlier cluster from the archive or from the file of " +
            "content.restore. Move that file away; the queue is then empty.",
    },
    {
        line: /database disk image is malformed|file is not a database|flux-fsck: .*(cannot|error retrieving|missing)/,
        means:
            "The content database in statedir is damaged. Delete the pod: the next pod starts with the queue of " +
            "the archive, or with an empty queue.",
    },
];

const RESOURCES: readonly Rule[] = [
    {
        line: /reranking R: Number of hosts .* is (greater|less) than node count/,
        means:
            "The resource set R has another number of ranks than bootstrap.hosts. Describe all ranks up to " +
            "maxSize in resource of broker.config, or leave broker.config out.",
    },
    {
        line: /reranking R: Host \S+ not found in resources/,
        means: "A host of bootstrap.hosts is not in the resource set R. Use the same names in resource and bootstrap of broker.config.",
    },
    {
        line: /error parsing R: |draining: rank \d+ .*(missing resources|got hostname)/,
        means:
            "The resource set R does not match the resources of the pods. Correct resource in broker.config, or " +
            "leave it out: the resources of a rank then come from resources.limits.",
    },
];

/** Consequences of another problem: they count only if no other line is understood. */
const CONSEQUENCES: readonly Rule[] = [
    {
        line: /rc1\.\d+: .* \(rc=[1-9]\d*\) /,
        means: "The start-up program of Flux, rc1, failed; the log names the step that failed.",
    },
];

const CAUSES = [...CONFIGURATION, ...CERTIFICATE, ...NETWORK, ...FILES, ...RESOURCES, ...IMAGE];

/**
 * The meaning of the log of a broker without quorum, by the last line that a rule knows; undefined if there is none.
 */
export function meaningOf(log: string): string | undefined {
    const newestFirst = log.split("\n").reverse();
    return firstMeaning(newestFirst, CAUSES) ?? firstMeaning(newestFirst, CONSEQUENCES);
}

function firstMeaning(lines: readonly string[], rules: readonly Rule[]): string | undefined {
    for (const text of lines) {
        const found = rules.find(({ line }) => line.test(text));
        if (found !== undefined) {
            return found.means;
        }
    }
    return undefined;
}

/** Lines that tell no cause: of a healthy broker, of rc3 at its end, and of the supervisor at each restart. */
const NOISE: readonly RegExp[] = [
    /^\s*$/,
    /^(<[567]>|[\w :.]* )?[\w-]+\.(debug|info|notice)\[[\w.-]+\]: /,
    /: rc3\.\d+: |overlay\.goodbye/,
    /^minicluster: broker ended with/,
];

/** The lines of a broker's log that may tell why it failed, each once; if there are none, all lines. */
export function tellingLines(log: string): readonly string[] {
    const lines = log.trimEnd().split("\n");
    const telling = lines.filter((line) => !NOISE.some((noise) => noise.test(line)));
    return newestOfEach(telling.length > 0 ? telling : lines);
}

/** Keeps the newest of equal lines: a follower's supervisor restarts its broker, and each start logs the same lines. */
function newestOfEach(lines: readonly string[]): readonly string[] {
    const withoutTime = (line: string) => line.replace(/^[A-Z][a-z]{2} \d+ [\d:.]+ \S+ \d{4} /, "");
    const newest = new Map<string, string>();
    for (const line of lines) {
        newest.delete(withoutTime(line));
        newest.set(withoutTime(line), line);
    }
    return [...newest.values()];
}

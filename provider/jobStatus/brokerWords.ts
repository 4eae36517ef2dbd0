/** What a line of a broker's log means: a pattern of the line, and a sentence or two with the cure. */
interface Rule {
    readonly line: RegExp;
    readonly means: string;
}

/*
 * The messages are those of flux-core 0.72 to 0.88. The first rule that matches a line is used. The sentences quote
 * nothing of the log, so that they can be shown where the log is secret.
 */

const CONFIGURATION: readonly Rule[] = [
    {
        line: /Config file error: \S+\.toml:(\d+: |.* line \d)/,
        means: "The configuration is no TOML from the line on that the log names. Correct broker.config.",
    },
    {
        line: /object item\(s\) left unpacked: /,
        means: "The configuration has a key that this version of Flux does not know. Correct or remove the key in broker.config.",
    },
    {
        line: /\[bootstrap\].* not found in hosts/,
        means: "bootstrap.hosts in broker.config has no entry for the name of this pod. List the names of all ranks up to maxSize there, or leave broker.config out.",
    },
    {
        line: /curve_cert (must be defined|is required) for size > 1/,
        means: "broker.config has a table [bootstrap] without curve_cert. Give curve_cert there, or leave broker.config out.",
    },
    {
        line: /(bind|connect) URI is undefined for rank|rank \d+ missing (bind|connect) URI/,
        means: "bootstrap in broker.config does not say where a rank listens. Give default_port, default_bind and default_connect there.",
    },
    {
        line: /error parsing \[resource(\.config)?\]/,
        means: "The table [resource] in broker.config is not as Flux expects it. Correct it, or remove it: resources.limits then says what a rank has.",
    },
    {
        line: /: unable to open \S+: No such file or directory/,
        means: "A file that the configuration names is not in the pod. Mount it by volumes, or remove it: without resource.path, resources.limits says what a rank has.",
    },
    {
        line: /Config file error|error (parsing|reading) \[/,
        means: "Flux does not accept the configuration. Correct broker.config at the table that the log names.",
    },
    {
        line: /(?<![\w-])broker: (\S+: (unknown attribute|attribute may not be set on the command line)|[\w.-]+: Operation not permitted|setattr \S+=)/,
        means: "broker.attributes sets an attribute that this version of Flux does not know or does not let be set. Correct or remove it.",
    },
];

const CERTIFICATE: readonly Rule[] = [
    {
        line: /: readable by group\/other/,
        means: "Users other than its owner can read the file of the certificate, and Flux refuses it then. Leave curve_cert out of broker.config: the pods then use a private copy.",
    },
    {
        line: /(loading certificate: \S+|\.cert): (Permission denied|No such file or directory)/,
        means: "The broker cannot read the file of the certificate. Leave curve_cert out of broker.config, and let podSecurityContext.fsGroup be a group of the pod's user.",
    },
    {
        line: /(loading certificate: \S+|\.cert): Invalid argument/,
        means: "The certificate is damaged or no CURVE certificate. Give certificate or the Secret the whole text of a file that flux keygen writes.",
    },
    {
        line: /handshake failed (protocol|auth)|overlay auth No access/,
        means: "Two ranks have different certificates. Give all of them the same one, and let no other cluster use this one's address and port.",
    },
    {
        line: /parent sockevent \S+ handshake failed/,
        means: "The connection to the lead was closed during its handshake: the certificates differ, or another program answers at that address, such as a service mesh. Give all ranks one certificate, and keep the port of the brokers out of the mesh.",
    },
];

const NETWORK: readonly Rule[] = [
    {
        line: /error binding to \S+: Address already in use/,
        means: "Another program has the port of the broker: on the network of a node, mostly another cluster. Give another broker.port.",
    },
    {
        line: /error binding to \S+: /,
        means: "The pod has no such address or network interface, or may not use the port. Let default_bind in broker.config be tcp://*:%p, and broker.port be above 1023.",
    },
    {
        line: /unable to resolve upstream peer/,
        means: "The name of the rank to connect to cannot be resolved. Correct default_connect and hosts in broker.config; where they are right, look at the cluster's DNS.",
    },
    {
        line: /version mismatched with server/,
        means: "The ranks have different versions of Flux. Give the image by a tag that does not move, or by its digest, and change triggers.",
    },
    {
        line: /mismatched config\?/,
        means: "The ranks have different lists of hosts. Let broker.config be the same for all pods, and change triggers so that all of them start with it.",
    },
];

const FILES: readonly Rule[] = [
    {
        line: /No space left on device|database or disk is full/,
        means: "A disk of the pod is full. Raise the limit or the request of ephemeral-storage in resources, or make the volume larger.",
    },
    {
        line: /exceeds max \d+.*AF_UNIX socket/,
        means: "The path of the broker's socket is too long for Linux. Set a shorter rundir or local-uri in broker.attributes, or leave both out.",
    },
    {
        line: /((rundir|statedir|local-uri directory) .*|cannot create directory in \S+): (Permission denied|Operation not permitted|Read-only file system|No such file or directory|Not a directory)|is not owned by instance owner|does not have owner=rwx permissions|unable to open database file|attempt to write a readonly database/,
        means: "Flux cannot use one of its directories: it has to exist, to be writable and to belong to the pod's user. Leave rundir, statedir and local-uri out of broker.attributes, or correct the rights on the volume.",
    },
    {
        line: /flux-restore: (?!restored |writing snapshot )/,
        means: "Flux cannot restore what an earlier cluster left in the archive or in the file of content.restore. Move that file away; the queue is then empty.",
    },
    {
        line: /database disk image is malformed|file is not a database|flux-fsck: .*(cannot|error retrieving|missing)/,
        means: "The content database in statedir is damaged. Delete the pod: the next one starts with the queue of the archive, or with an empty one.",
    },
];

const RESOURCES: readonly Rule[] = [
    {
        line: /reranking R: Number of hosts .* is (greater|less) than node count/,
        means: "The resource set R has another number of ranks than bootstrap.hosts. Let resource in broker.config describe all ranks up to maxSize, or leave broker.config out.",
    },
    {
        line: /reranking R: Host \S+ not found in resources/,
        means: "A host of bootstrap.hosts is not in the resource set R. Use the same names in resource and bootstrap of broker.config.",
    },
    {
        line: /error parsing R: |draining: rank \d+ .*(missing resources|got hostname)/,
        means: "The resource set R does not describe what the pods have. Correct resource in broker.config, or leave it out: resources.limits then says what a rank has.",
    },
];

const IMAGE: readonly Rule[] = [
    {
        line: /error while loading shared libraries|cannot open shared object file|version `GLIBC\w*_[\d.]+' not found/,
        means: "The image lacks a library that Flux needs, or its libraries are too old for this Flux. Use an image that was made for this Flux; with view, one of the same Linux distribution.",
    },
    {
        // Hooks and commands may be Python programs, too: only lines of Flux's own programs count.
        line: /(?<![\w-])(rc1\.\d+|flux-[\w-]+|broker): .*(ModuleNotFoundError|ImportError|No module named )/,
        means: "The image lacks a Python module that Flux needs for its start. Install flux-core with its Python bindings, python3-cffi and python3-yaml in it.",
    },
    {
        line: /sign-munge-\w+: |\/munge\.socket/,
        means: "Flux is built to sign jobs with MUNGE, and munged does not run. Set munge, or mungeSecret, and install munge in the image.",
    },
];

/** These follow from something else, so they only count where nothing else is known. */
const CONSEQUENCES: readonly Rule[] = [
    {
        line: /rc1\.\d+: .* \(rc=[1-9]\d*\) /,
        means: "The start-up program of Flux, rc1, failed; the log tells which of its steps.",
    },
];

const CAUSES = [...CONFIGURATION, ...CERTIFICATE, ...NETWORK, ...FILES, ...RESOURCES, ...IMAGE];

/** What the log of a broker that has not reached its quorum means, where that is known: the last line that tells counts. */
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

/** What a broker says where all is well or, in rc3, at its end, and what its supervisor says each time. */
const NOISE: readonly RegExp[] = [
    /^\s*$/,
    /^(<[567]>|[\w :.]* )?[\w-]+\.(debug|info|notice)\[[\w.-]+\]: /,
    /: rc3\.\d+: |overlay\.goodbye/,
    /^minicluster: broker ended with/,
];

/** The lines of a broker's log that may tell why it failed, each once; all of them where none is left. */
export function tellingLines(log: string): readonly string[] {
    const lines = log.trimEnd().split("\n");
    const telling = lines.filter((line) => !NOISE.some((noise) => noise.test(line)));
    return newestOfEach(telling.length > 0 ? telling : lines);
}

/** A follower's supervisor starts it again and again, and each life says the same. */
function newestOfEach(lines: readonly string[]): readonly string[] {
    const withoutTime = (line: string) => line.replace(/^[A-Z][a-z]{2} \d+ [\d:.]+ \S+ \d{4} /, "");
    const newest = new Map<string, string>();
    for (const line of lines) {
        newest.delete(withoutTime(line));
        newest.set(withoutTime(line), line);
    }
    return [...newest.values()];
}

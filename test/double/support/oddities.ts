import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { PlainArgs } from "../../../components/args";
import type { ImageOptions } from "./pods/cluster";
import type { FileChange, FileChanges } from "./pods/layer";
import { isStandin } from "./root";
import { HAS_MODPROBE } from "./version";

/** An odd image, PATH, user or mount, and what the user of an ephemeral cluster reads. */
export interface Oddity {
    readonly odd: string;
    /** The failure of `pulumi up`, with "..." for any text. Without it, the command runs. */
    readonly reads?: string;
    /** The exit code of the pod. */
    readonly code?: number;
    readonly args?: Partial<PlainArgs>;
    /** Files over those of the image, whose folder on this machine is `root`. */
    readonly files?: FileChanges | ((root: string) => FileChanges);
    readonly env?: ImageOptions["env"];
    readonly disks?: ImageOptions["disks"];
    readonly texts?: ImageOptions["texts"];
    /** The minor version of flux-core from which on the command runs. */
    readonly before?: number;
}

/** The exit code of a pod that lacks something. */
const LACKS = 78;
const sh = (text: string): FileChange => ({ text: `#!/bin/sh\n${text}\n` });
const foreign: FileChange = { text: foreignProgram() };
const noFlux = { "usr/bin/flux": "hidden" } as const;
const notOnPath = "NAME-0 can't start: the image has no flux on PATH (...)";
const fluxSays = "NAME-0 can't start: flux-core 0.72 or later is needed, but /usr/bin/flux version says: ";
const noPrograms = "NAME-0 can't start: the image has no bash, cat, chmod, ... on PATH ";
const cure = "add to it what is missing (mostly of the package coreutils), or correct PATH (environment, hooks).";

/** The head of a program for 64-bit ARM. */
function foreignProgram(): Buffer {
    const head = Buffer.alloc(256);
    head.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
    head.writeUInt16LE(2, 16);
    head.writeUInt16LE(183, 18);
    head.writeUInt32LE(1, 20);
    return head;
}

/** A flux that ends with these lines of sh if its first word is `word`, and else is the image's. */
function fluxBut(word: string, lines: string): (root: string) => FileChanges {
    return (root) => ({
        "opt/whole/flux": { text: readFileSync(join(root, "usr/bin/flux")) },
        "usr/bin/flux": sh(`[ "$1" != ${word} ] || { ${lines}; }\nexec /opt/whole/flux "$@"`),
    });
}

const solver = (file: FileChange) => ({ args: { command: ["/opt/solver"] }, files: { "opt/solver": file } });

const FLUX: readonly Oddity[] = [
    {
        odd: "no flux",
        reads: `${notOnPath}; install flux-core in it, or correct PATH.`,
        code: LACKS,
        files: noFlux,
    },
    {
        odd: "flux only in a folder that isn't on PATH",
        reads: `${notOnPath}; install flux-core in it, or correct PATH.`,
        code: LACKS,
        files: { ...noFlux, "opt/flux/bin/flux": sh("exit 0") },
    },
    {
        odd: "a folder, a broken link or a file that isn't executable in place of flux",
        reads: `${notOnPath}; /usr/bin/flux is no executable file; ...install flux-core in it, or correct PATH.`,
        code: LACKS,
        files: { "usr/bin/flux": { link: "/no/such/flux" } },
    },
    {
        odd: "a flux whose interpreter the image lacks",
        reads: `${fluxSays}.../usr/bin/flux: ...`,
        code: LACKS,
        files: { "usr/bin/flux": { text: "#!/no/such/python3\n" } },
    },
    {
        odd: "a flux for another processor",
        reads: `${fluxSays}.../usr/bin/flux: cannot execute binary file: Exec format error.`,
        code: LACKS,
        files: { "usr/bin/flux": foreign },
    },
    {
        odd: "a flux that lacks a library",
        reads: `${fluxSays}flux: error while loading shared libraries: libhwloc.so.15: ...`,
        code: LACKS,
        files: {
            "usr/bin/flux": sh("echo flux: error while loading shared libraries: libhwloc.so.15: gone >&2; exit 127"),
        },
    },
    {
        odd: "another program that is called flux",
        reads: `${fluxSays}usage: flux [beam].`,
        code: LACKS,
        files: { "usr/bin/flux": sh("echo 'usage: flux [beam]' >&2; exit 2") },
    },
    {
        odd: "an old flux-core",
        reads: "NAME-0 can't start: /usr/bin/flux is flux-core 0.66.0; at least 0.72 is needed.",
        code: LACKS,
        files: { "usr/bin/flux": sh("echo libflux-core: 0.66.0") },
    },
    {
        odd: "a flux-core without its broker, or another of its commands",
        reads:
            "NAME-0 ended with exit code 1 before its broker had its quorum. NAME-0: Flux does not find one of its own " +
            "commands, or the Python that runs it. ...flux: `broker' is not a flux command. ...",
        code: 1,
        files: isStandin
            ? fluxBut("broker", `echo "flux: \\\`broker' is not a flux command.  See 'flux --help'" >&2; exit 1`)
            : { "usr/libexec/flux/cmd/flux-broker": "hidden" },
    },
    {
        odd: "FLUX_SCHED_MODULE of the image that names no module (flux-core before 0.77)",
        reads:
            "NAME-0 ended with exit code 1 before its broker had its quorum. NAME-0: Flux does not find the module that the " +
            "log names. Remove FLUX_SCHED_MODULE and FLUX_MODULE_PATH from the image and environment, ...",
        code: 1,
        env: { FLUX_SCHED_MODULE: "none-such" },
        before: HAS_MODPROBE,
    },
    {
        odd: "a volume over /etc or /etc/flux (flux-core before 0.77)",
        reads:
            "NAME-0 ended with exit code 127 before its broker had its quorum. NAME-0: Flux does not find its start-up " +
            "programs, which flux-core before 0.77 has in /etc/flux. ...",
        code: 127,
        args: { volumes: [{ name: "etc", mountPath: "/etc", emptyDir: {} }] },
        before: HAS_MODPROBE,
    },
    {
        odd: 'a `flux python` that doesn\'t run, with `network: "hosts"`',
        reads: "NAME-0 can't start: the addresses of the ranks are unknown: no python3.11 here. ...",
        code: LACKS,
        args: { network: "hosts" },
        files: fluxBut("python", "echo no python3.11 here >&2; exit 127"),
    },
];

const BASH: readonly Oddity[] = [
    {
        odd: "no bash",
        reads: `NAME-0 can't start: the image has no bash on PATH (...); ${cure}`,
        code: LACKS,
        files: { "usr/bin/bash": "hidden" },
    },
    {
        odd: "a broken link in place of bash",
        reads: `NAME-0 can't start: the image has no bash on PATH (...); /usr/bin/bash is no executable file; ...${cure}`,
        code: LACKS,
        files: { "usr/bin/bash": { link: "/no/such/bash" } },
    },
    {
        odd: "another shell in place of bash",
        reads: "NAME-0 can't start: /usr/bin/bash doesn't work as bash 4.2 or later: it says ...; BASH_ENV is unset. ...",
        code: LACKS,
        files: { "usr/bin/bash": { link: "dash" } },
    },
    {
        odd: "a bash for another processor",
        reads: "NAME-0 can't start: /usr/bin/bash doesn't work as bash 4.2 or later: it says ...Exec format error; ...",
        code: LACKS,
        files: { "usr/bin/bash": foreign },
    },
    {
        odd: "BASH_ENV that names a file which ends each script",
        reads: "NAME-0 can't start: /usr/bin/bash doesn't work as bash 4.2 or later: it says nothing; BASH_ENV is /opt/profile. ...",
        code: LACKS,
        env: { BASH_ENV: "/opt/profile" },
        files: { "opt/profile": { text: "exit 3\n" } },
    },
    {
        odd: "BASH_ENV that names a file which replaces PATH",
        reads:
            "NAME-0 ended with exit code 127 before its broker had its quorum. NAME-0: A script of the pod does not find " +
            "the program that the log names. A hook, or the file that BASH_ENV names, mostly has replaced PATH: ...",
        code: 127,
        env: { BASH_ENV: "/opt/profile" },
        files: { "opt/profile": { text: "export PATH=/opt/mpi/bin\n" } },
    },
    {
        odd: "an image for another processor (exit code 1 with runc)",
        reads:
            "NAME-0 ended with exit code ... before its broker had its quorum. NAME-0: A program is for another processor " +
            "than the node's, or isn't a program. ...xec format error...",
        files: { "usr/bin/sh": foreign },
    },
];

const PATHS: readonly Oddity[] = [
    {
        odd: "`$PATH`, `~` or quotes in `environment.PATH`, which no shell reads (preview warns of it)",
        reads: `${noPrograms}(/opt/mpi/bin:$PATH); ${cure}`,
        code: LACKS,
        args: { environment: { PATH: "/opt/mpi/bin:$PATH" } },
    },
    { odd: "an empty PATH in the image", reads: `${noPrograms}(); ${cure}`, code: LACKS, env: { PATH: "" } },
    {
        odd: "a hook that replaces PATH",
        reads: `${noPrograms}(/opt/mpi/bin); ${cure}`,
        code: LACKS,
        args: { hooks: { pre: "export PATH=/opt/mpi/bin\n" } },
    },
    {
        odd: "an image without some of coreutils",
        reads: `NAME-0 can't start: the image has no mkdir, timeout on PATH (...); ${cure}`,
        code: LACKS,
        files: { "usr/bin/mkdir": "hidden", "usr/bin/timeout": "hidden" },
    },
    {
        odd: "a program that isn't executable",
        reads: `NAME-0 can't start: the image has no install on PATH (...); /usr/bin/install is no executable file; ...${cure}`,
        code: LACKS,
        files: { "usr/bin/install": { text: "", mode: 0o644 } },
    },
    {
        odd: "LD_LIBRARY_PATH with a library that is damaged or of another system",
        reads:
            "NAME-0 ended with exit code 127 before its broker had its quorum. NAME-0: The library that the log names is " +
            "damaged or for another system. ...error while loading shared libraries: /opt/lib/libc.so.6: file too short",
        code: 127,
        args: { environment: { LD_LIBRARY_PATH: "/opt/lib" } },
        files: { "opt/lib/libc.so.6": { text: "none" } },
    },
];

const USERS_AND_MOUNTS: readonly Oddity[] = [
    {
        odd: "`user` with an image that lacks id",
        reads: `NAME-0 can't start: the image has no id (for user) on PATH (...); ${cure}`,
        code: LACKS,
        args: { user: {} },
        files: { "usr/bin/id": "hidden" },
    },
    {
        odd: "`user` with an image whose /etc/passwd only root can read",
        reads: "NAME-0 can't start: user 1000 can't read the image's /etc/passwd; make it a readable file, ...",
        code: LACKS,
        args: { user: {} },
        files: { "etc/passwd": { text: "root:x:0:0::/root:/bin/sh\n", mode: 0o600 } },
    },
    {
        odd: "a full volume at /run/flux",
        reads: "NAME-0 can't start: user 0 can't write 10 kB to /run/flux: it is full, read-only or another user's. ...",
        code: LACKS,
        disks: { "/run/flux": "4k" },
    },
    {
        odd: "a read-only volume at /run/flux",
        reads: "NAME-0 can't start: user 0 can't write 10 kB to /run/flux: ...Read-only file system...",
        code: LACKS,
        disks: { "/run/flux": "4m,ro" },
    },
    {
        odd: "a read-only volume at /var/lib/flux",
        reads: "NAME-0 can't start: user 0 can't make its folders: ...cannot create directory .../var/lib/flux/state...: Read-only file system. ...",
        code: LACKS,
        disks: { "/var/lib/flux": "4m,ro" },
    },
    {
        odd: "an empty certificate in `certificateSecret`",
        reads: "NAME-0 can't start: the certificate /etc/curve/curve.cert is empty; it needs the text of a file that flux keygen writes.",
        code: LACKS,
        args: { certificateSecret: "own" },
        texts: { own: { "curve.cert": "" } },
    },
    {
        odd: "another text in `certificateSecret`",
        reads:
            "NAME-0 ended with exit code 1 before its broker had its quorum. NAME-0: The certificate is damaged or is not " +
            "a CURVE certificate. ...",
        code: 1,
        args: { certificateSecret: "own" },
        texts: { own: { "curve.cert": "no certificate\n" } },
    },
];

const COMMANDS: readonly Oddity[] = [
    {
        odd: "a command that isn't on PATH",
        reads: 'The command ended with exit code 127. ...minicluster: there is no program "solver" on PATH (...) of NAME-0...',
        code: 127,
        args: { command: ["solver", "--fast"] },
    },
    {
        odd: "a command and its arguments in one word",
        reads: 'The command ended with exit code 127. ...minicluster: there is no program "echo hello" on PATH (...) of NAME-0...',
        code: 127,
        args: { command: ["echo hello"] },
    },
    {
        odd: "a command that doesn't exist",
        reads: "The command ended with exit code 127. .../opt/solver: No such file or directory...",
        code: 127,
        args: { command: ["/opt/solver"] },
    },
    {
        odd: "a command that isn't executable",
        reads: "The command ended with exit code 126. .../opt/solver: ...Permission denied...",
        code: 126,
        ...solver({ text: "#!/bin/sh\n", mode: 0o644 }),
    },
    {
        odd: "a folder in place of the command",
        reads: "The command ended with exit code 126. .../opt/solver: ...Is a directory...",
        code: 126,
        ...solver({ folder: 0o755 }),
    },
    {
        odd: "a script with the line ends of Windows",
        reads: "The command ended with exit code 127. ...minicluster: NAME-0 has no $'/bin/sh\\r', the interpreter of /opt/solver...",
        code: 127,
        ...solver({ text: "#!/bin/sh\r\necho ran\r\n" }),
    },
    {
        odd: "a script whose interpreter the image lacks",
        reads: "The command ended with exit code 127. ...minicluster: NAME-0 has no /opt/python3, the interpreter of /opt/solver...",
        code: 127,
        ...solver({ text: "#!/opt/python3 -u\n" }),
    },
    {
        odd: "a command for another processor",
        reads: "The command ended with exit code 126. .../opt/solver: cannot execute binary file: Exec format error...",
        code: 126,
        ...solver(foreign),
    },
];

const HARMLESS: readonly Oddity[] = [
    {
        odd:
            "a uid that /etc/passwd doesn't have; a HOME that doesn't exist; no /tmp; a read-only root; /run/flux and " +
            "/var/lib/flux mounted with noexec; a locale that the image doesn't have, and LD_PRELOAD of a file that doesn't " +
            "exist (bash and the loader warn of both in the log)",
        args: {
            podSecurityContext: { runAsUser: 4242 },
            securityContext: { readOnlyRootFilesystem: true },
            environment: { HOME: "/no/such/home", LC_ALL: "xx_YY", LD_PRELOAD: "/no/such/library.so" },
        },
        files: { tmp: "hidden" },
        disks: { "/run/flux": "4m,noexec", "/var/lib/flux": "16m,noexec" },
    },
    {
        odd:
            "FLUX_URI, FLUX_CONF_DIR, FLUX_RC_EXTRA, FLUX_EXEC_PATH, FLUX_MODULE_PATH and FLUX_CONNECTOR_PATH of the image " +
            "that lead nowhere; POSIXLY_CORRECT, GLOBIGNORE, and TMPDIR and BASH_ENV that don't " +
            "exist; an empty HOSTNAME; relative folders in PATH; a script without a first line that names its interpreter",
        args: { command: ["/opt/solver"], environment: { HOSTNAME: "" } },
        files: { "opt/solver": { text: "echo ran\n" } },
        env: {
            FLUX_URI: "local:///no/broker",
            FLUX_CONF_DIR: "/no/conf",
            FLUX_RC_EXTRA: "/no/rc",
            FLUX_EXEC_PATH: "/no/exec",
            FLUX_MODULE_PATH: "/no/modules",
            FLUX_CONNECTOR_PATH: "/no/connectors",
            POSIXLY_CORRECT: "1",
            GLOBIGNORE: "*",
            TMPDIR: "/no/tmp",
            BASH_ENV: "/no/profile",
            PATH: "bin:.::/usr/bin:/bin",
        },
    },
    {
        odd: "a volume over /home, /run or /var; SHELLOPTS and BASHOPTS (the scripts keep them from brokers and jobs)",
        args: {
            volumes: ["home", "run", "var"].map((name) => ({ name, mountPath: `/${name}`, emptyDir: {} })),
        },
        env: { SHELLOPTS: "noglob", BASHOPTS: "sourcepath" },
    },
];

export const ODDITIES: Readonly<Record<string, readonly Oddity[]>> = {
    Flux: FLUX,
    "bash and sh": BASH,
    "PATH and programs": PATHS,
    "Users and mounts": USERS_AND_MOUNTS,
    "The command": COMMANDS,
    "Oddities with which a cluster runs": HARMLESS,
};

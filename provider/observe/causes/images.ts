/** The meaning of a line in a pod's log: a pattern for the line, and one or two sentences with the cure. */
export interface Rule {
    readonly line: RegExp;
    readonly means: string;
}

/** What an image, its PATH or its environment lacks. */
export const IMAGE: readonly Rule[] = [
    {
        // Of the container runtime about /bin/sh, or of a shell.
        line: /exec format error/i,
        means:
            "A program is for another processor than the node's, or isn't a program. Use an image for the nodes' " +
            "processors, or nodeSelector with kubernetes.io/arch.",
    },
    {
        line: /cannot execute: required file not found|bad interpreter/,
        means:
            "A program of the image needs an interpreter that the image doesn't have. Add the interpreter at the path " +
            "in the program's first line, which must not end with a carriage return.",
    },
    {
        line: /\bsh: .*(cannot|can't) open '?\/etc\/flux-minicluster\/wait\.sh|flux-minicluster\/wait\.sh: (Permission denied|No such file)/,
        means:
            "The pod's user cannot read the scripts of MiniCluster in /etc/flux-minicluster. Leave that volume out of " +
            "podTemplate; where SELinux refuses the access, set podSecurityContext.seLinuxOptions.",
    },
    {
        line: /flux-minicluster\/[\w-]+\.sh: line \d+: [\w.-]+: command not found/,
        means:
            "A script of the pod does not find the program that the log names. A hook, or the file that BASH_ENV names, " +
            "mostly has replaced PATH: write PATH=/folder:$PATH there.",
    },
    {
        line: /error while loading shared libraries: \S+: (file too short|invalid ELF header|wrong ELF class|ELF load command)/,
        means:
            "The library that the log names is damaged or for another system. Remove its folder from LD_LIBRARY_PATH or " +
            "LD_PRELOAD, or repair the library.",
    },
    {
        line: /error while loading shared libraries|cannot open shared object file|version `GLIBC\w*_[\d.]+' not found/,
        means:
            "The image lacks a library that Flux needs, or its libraries are too old for this Flux. Use an image " +
            "that was built for this Flux; with view, an image of the same Linux distribution.",
    },
    {
        line: /No module named 'encodings'|Fatal Python error: init_fs_encoding/,
        means:
            "Python does not find its own modules. Remove PYTHONHOME from the image or environment, or set it to the " +
            "folder of the Python for which Flux is built.",
    },
    {
        line: /flux: `[\w-]+' is not a flux command/,
        means:
            "Flux does not find one of its own commands, or the Python that runs it. Install all of flux-core and its " +
            "Python in the image, remove FLUX_EXEC_PATH, and mount no volume over the folders of both.",
    },
    {
        line: /\/etc\/flux\/rc[13]: No such file or directory/,
        means:
            "Flux does not find its start-up programs, which flux-core before 0.77 has in /etc/flux. Mount no volume over " +
            "/etc or /etc/flux, or use a later flux-core.",
    },
    {
        line: /rc1\.\d+: flux-module: load \S+: module not found/,
        means:
            "Flux does not find the module that the log names. Remove FLUX_SCHED_MODULE and FLUX_MODULE_PATH from the image " +
            "and environment, or install the module.",
    },
    {
        // Hooks and commands may be Python programs, too: only lines of Flux's own programs count.
        line: /(?<![\w-])(rc1\.\d+|flux-[\w-]+|broker): .*(ModuleNotFoundError|ImportError|No module named )/,
        means:
            "The image lacks a Python module that Flux needs for its start. Install flux-core with its Python " +
            "bindings, python3-cffi and python3-yaml in the image.",
    },
    {
        line: /sign-munge-\w+: |\/munge\.socket/,
        means: "Flux is built to sign jobs with MUNGE, but munged does not run. Set munge, or mungeSecret, and install munge in the image.",
    },
];

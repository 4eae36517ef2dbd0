import type { Reader } from "../reader";

const RESOURCES = "remove it: Flux has the resources of all ranks, by the arguments or from the nodes";
const VIEW = "Flux is in the directories of view, /opt/view and /opt/software, or where the image has it";

/** Variables that only the operator's start script sets, and what to use instead. */
const VARIABLES: Readonly<Record<string, string>> = {
    asFlux: "remove it: everything runs as the user of the pod (user, securityContext)",
    asSudo: "remove it: everything runs as the user of the pod (user, securityContext)",
    brokerOptions: "give broker.attributes",
    FLUX_OUTPUT_DIR: "give it in environment, and make the directory in the hook pre",
    cfg: "broker is the argument for the configuration",
    configroot: "broker is the argument for the configuration",
    curvepath: "certificate is the argument for the certificate",
    curvesrc: "certificate is the argument for the certificate",
    flags: "the run options are arguments",
    fluxpath: "flux is on PATH",
    fluxroot: VIEW,
    fluxsocket: "use $FLUX_URI in the command; a hook runs before there is a socket",
    fluxuid: "use $(id -u)",
    fluxuser: "use $(id -un)",
    foundroot: VIEW,
    hosts: RESOURCES,
    mainHost: "use $MINICLUSTER_LEAD",
    node_spec: "the run options are arguments",
    pythonversion: "use python3",
    software: VIEW,
    STATE_DIR: "broker.attributes has the attribute statedir",
    viewbase: VIEW,
    viewbin: VIEW,
    viewroot: VIEW,
    workdir: "use $PWD",
};

/** Variables by which a hook changes the operator's start script. */
const SETTINGS = ["asFlux", "asSudo", "brokerOptions", "cfg", "command"];

/** Warns of variables of the operator's start script in a text for a shell. */
export function warnOfOwnVariables(reader: Reader, path: string, text: string): void {
    const code = text.replaceAll(/^\s*#.*$/gm, "");
    const set = assignedIn(code);
    const looped = new Set([...code.matchAll(/\bfor\s+(\w+)\s+in\b/g)].map(([, name]) => name));
    for (const name of SETTINGS.filter((setting) => set.has(setting))) {
        const cure = VARIABLES[name] ?? "give the command as the argument command";
        reader.warn(path, `sets ${name}, which only the operator's start script reads; ${cure}.`);
    }
    const own = Object.keys(VARIABLES).filter((name) => !set.has(name) && !looped.has(name));
    for (const name of own.filter((variable) => new RegExp(`\\$(\\{#?)?${variable}\\b`).test(code))) {
        reader.warn(path, `uses $${name}, which only the operator's start script sets; ${VARIABLES[name]}.`);
    }
}

/** The variables that a script sets. */
export function assignedIn(code: string): ReadonlySet<string> {
    const found = code.matchAll(/(?:^|[\s;&|(])(?:export\s+|local\s+|declare\s+)?(\w+)\+?=/g);
    return new Set([...found].map(([, name]) => name));
}

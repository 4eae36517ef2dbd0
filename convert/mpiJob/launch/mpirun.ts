import {
    behindSign,
    BINDING,
    hostfiles,
    type Launch,
    needless,
    NO_COUNTERPART,
    number,
    options,
    type Options,
    setVariable,
    without,
    type Word,
    WORKING_DIR,
} from "./launch";

/** Frameworks of Open MPI and PMIx that only the start by mpirun has. */
const OF_THE_START =
    /^(errmgr|ess|filem|grpcomm|iof|odls|oob|orte|plm|plugin|prte|ras|rmaps|rml|routed|rtc|schizo|snapc|state)(_|$)/;

/** Options of mpirun of Open MPI (4 and 5). */
export const OPEN_MPI: Options = {
    ...number("n np c", "tasks"),
    ...number("npernode N", "perNode"),
    ...number("cpus-per-proc cpus-per-rank", "coresPerTask"),
    ...number("timeout", "timeLimit"),
    ...options("pernode", 0, (launch, option) => {
        launch.perNode = { ...option, text: "1", raw: "1" };
    }),
    ...options("x", 1, (launch, word) => {
        const [, name] = /^(\w+)=/.exec(word.text) ?? [];
        // The tasks have all variables of the pods in any case.
        return name === undefined ? undefined : setVariable(launch, name, behindSign(word));
    }),
    ...options("mca gmca omca", 2, setParameter),
    ...options("prtemca pmixmca", 2, () => "is a parameter of the start by mpirun, which Flux replaces. Remove it."),
    ...BINDING,
    ...options("map-by", 1, mapBy),
    ...options("bynode", 0, (launch) => {
        launch.isCyclic = true;
    }),
    ...WORKING_DIR,
    ...needless(
        "allow-run-as-root byslot enable-recovery nooversubscribe oversubscribe no-oversubscribe v verbose q quiet",
    ),
    ...hostfiles("hostfile machinefile default-hostfile"),
    ...without(
        1,
        "H host max-vm-size rankfile rf app prefix path launch-agent tune am output-filename output xml-file xterm stdin rank-by " +
            "cpu-list cpu-set npersocket ppr mapby slot-list report-pid report-uri ompi-server hnp cartofile cf debugger " +
            "preload-files display personality",
    ),
};

/** Parameters of the library are variables; those of the start have no meaning under Flux. */
function setParameter(launch: Launch, name: Word, value: Word): string | undefined {
    if (OF_THE_START.test(name.text)) {
        return "is a parameter of the start by mpirun, which Flux replaces. Remove it.";
    }
    return setVariable(launch, `OMPI_MCA_${name.text}`, value);
}

const NODES = /^node(:|$)/;
const PER_NODE = /^ppr:(\d+):node(:|$)/;

/** Where mpirun places the processes: `slot` is the default, and modifiers follow a colon. */
function mapBy(launch: Launch, word: Word): string | undefined {
    const { text } = word;
    const [, perNode] = PER_NODE.exec(text) ?? [];
    const [, elements] = /:pe=(\d+)/i.exec(text) ?? [];
    if (elements !== undefined) {
        launch.coresPerTask = { ...word, text: elements, raw: elements };
    }
    if (perNode !== undefined) {
        launch.perNode = { ...word, text: perNode, raw: perNode };
        return undefined;
    }
    if (NODES.test(text)) {
        launch.isCyclic = true;
        return undefined;
    }
    return /^(slot)?(:|$)/.test(text) ? undefined : NO_COUNTERPART;
}

/** Options of mpiexec of MPICH and of Intel MPI, whose process manager is Hydra. */
export const HYDRA: Options = {
    ...number("n np", "tasks"),
    ...number("ppn perhost grr", "perNode"),
    ...options("rr", 0, (launch, option) => {
        launch.perNode = { ...option, text: "1", raw: "1" };
    }),
    ...options("genv env", 2, (launch, name, value) => setVariable(launch, name.text, value)),
    ...needless("genvlist envlist", 1),
    // The tasks have all variables of the pods.
    ...needless("genvall envall verbose v print-all-exitcodes enable-auto-cleanup disable-hostname-propagation"),
    ...hostfiles("f hostfile machinefile machine configfile"),
    ...BINDING,
    ...WORKING_DIR,
    ...without(
        1,
        "hosts host H usize order-nodes bootstrap launcher bootstrap-exec launcher-exec bootstrap-exec-args launcher-exec-args rmk " +
            "localhost hostname-propagation pmi-args nameserver iface map-by membind topolib demux gpus-per-proc " +
            "gpu-subdevs-per-proc path prepend-pattern outfile-pattern errfile-pattern outfile errfile tmpdir tune s gtool",
    ),
};

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { fluxSetsScript } from "../../contract/scriptText";

/** The module that reads outputs. It runs in the lead's pod, as all texts here. */
const OUTPUT_MODULE = asModule("joboutput", textOf("joboutput.py"));

/** The module that reads Flux' sets. */
const SETS_MODULE = asModule("flux_sets", fluxSetsScript());

/** The module with what this process and the programs agree on. */
const PROTOCOL_MODULE = asModule("protocol", textOf("../agent/protocol.py"));

/** The module that knows the archives of code, as the agent does. */
const CODES_MODULE = asModule("codes", textOf("../code/codes.py"));

/** The module that finds jobs by their nonce, as the agent does. */
const INDEX_MODULE = `${CODES_MODULE}${asModule("index", textOf("../agent/index.py"))}`;

/** The text of the program for arrays. */
export const ARRAY_PROGRAM = `${OUTPUT_MODULE}${SETS_MODULE}${PROTOCOL_MODULE}${INDEX_MODULE}${textOf("array.py")}`;

/** The text of the program that makes the archive of a code. */
export const PUT_CODE_PROGRAM = `${CODES_MODULE}${textOf("../code/put_code.py")}`;

/** The text of the program that finds out why a job waits or has failed. */
export const EXPLAIN_PROGRAM = `${OUTPUT_MODULE}${textOf("explain.py")}`;

/** The text of the program that prints what Flux remembers of an instance. */
export const HISTORY_PROGRAM = textOf("history.py");

/** The text of the program that drains ranks before maintenance. */
export const MAINTENANCE_PROGRAM = `${SETS_MODULE}${textOf("maintain.py")}`;

function textOf(name: string): string {
    return readFileSync(join(__dirname, name), "utf8");
}

/** Lets a program import a text, which is in no file of the pod. A string of JSON is one of Python too. */
function asModule(name: string, text: string): string {
    const lines = [
        "import sys, types",
        `sys.modules["${name}"] = types.ModuleType("${name}")`,
        `exec(${JSON.stringify(text)}, sys.modules["${name}"].__dict__)`,
    ];
    return `${lines.join("\n")}\n`;
}

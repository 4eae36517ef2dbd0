import { readFileSync } from "node:fs";
import { join } from "node:path";

import { FIND_FLUX, quote } from "../../contract/paths";

const textOf = (...path: string[]) => readFileSync(join(__dirname, ...path), "utf8");

/** The modules of the agent, each after those that it imports. */
const MODULES: Readonly<Record<string, string>> = {
    protocol: textOf("protocol.py"),
    places: textOf("places.py"),
    joboutput: textOf("..", "programs", "joboutput.py"),
    connection: textOf("connection.py"),
    codes: textOf("..", "code", "codes.py"),
    index: textOf("index.py"),
    jobs: textOf("jobs.py"),
    outputs: textOf("outputs.py"),
    submission: textOf("submission.py"),
};

/** Python looks for modules in the working directory first, which is that of the jobs: a flux.py there isn't Flux'. */
const OWN_FOLDER = "import sys\nsys.path[:] = filter(None, sys.path)\n";

/** The text of the agent's program. A dictionary of JSON is one of Python too. */
export const AGENT_PROGRAM = `${OWN_FOLDER}MODULES = ${JSON.stringify(MODULES)}\n${textOf("agent.py")}`;

/** The text for bash's standard input. The requests follow it. */
export function agentScript(): string {
    const job = `${FIND_FLUX}\n${textOf("..", "job.sh")}\n`;
    return `${FIND_FLUX}\n${textOf("agent.sh")}\nrun_agent ${[AGENT_PROGRAM, job].map(quote).join(" ")}\n`;
}

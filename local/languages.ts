import { delimiter, join } from "node:path";

import * as pieces from "./pieces";
import { pythonEnvironment } from "./python";
import { toolchain, type Toolchain } from "./toolchain";

const HOSTS = [pieces.pulumiLanguageGo, pieces.pulumiLanguagePython, pieces.pulumiLanguageYaml];

/** Pulumi for programs in Go, Python and YAML. `make demo` and `make cluster` never build their hosts. */
export async function languageToolchain(): Promise<Toolchain> {
    const { env, pulumi } = await toolchain(HOSTS);
    // The host of Python that is built here ignores the project's virtual environment. It runs the first python3 on PATH.
    const path = [join(await pythonEnvironment(), "bin"), env["PATH"]];
    return { pulumi, env: { ...env, PATH: path.join(delimiter) } };
}

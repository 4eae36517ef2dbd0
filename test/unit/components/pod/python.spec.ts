import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { SCRIPT_FILES, scriptFile } from "../../support/scriptFile";

/** Parses each file as the Python of Red Hat 8 does, and lists what it imports. */
const PARSER = `
import ast, json, sys
imports = set()
for path in sys.argv[1:]:
    with open(path) as file:
        tree = ast.parse(file.read(), path, feature_version=(3, 6))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            imports.add(node.module)
print(json.dumps(sorted(imports)))
`;

/** Modules that Python 3.6 has. */
const KNOWN = [
    "argparse",
    "asyncio",
    "base64",
    "collections",
    "concurrent.futures",
    "configparser",
    "contextlib",
    "errno",
    "faulthandler",
    // The bindings of Flux.
    "flux",
    "flux.constants",
    "gzip",
    "hashlib",
    "hmac",
    "html.parser",
    "http.client",
    "importlib",
    "io",
    "json",
    "math",
    "os",
    "re",
    "resource",
    "secrets",
    "signal",
    "socket",
    "socketserver",
    "ssl",
    "subprocess",
    "sys",
    "threading",
    "time",
    "typing",
    "urllib.error",
    "urllib.parse",
    "urllib.request",
    // With the RESTful server, whose own Python is 3.10 or later.
    "uvicorn",
    "uvicorn.protocols.http.auto",
    "zlib",
];

/** Features after Python 3.6 that these scripts might use. */
const LATER =
    /:=|capture_output|text=True|fromisoformat|removeprefix|removesuffix|math\.prod|from __future__ import annotations|missing_ok|\bmatch \w+:$/;

describe("the Python of the pods", () => {
    const files = [...SCRIPT_FILES.values()].filter((file) => file.endsWith(".py"));

    const own = files.map((file) => basename(file, ".py"));

    it("has the syntax and modules of Python 3.6, which Red Hat 8 has", () => {
        const { status, stdout, stderr } = spawnSync("python3", ["-c", PARSER, ...files], { encoding: "utf8" });
        assert.equal(status, 0, stderr);
        assert.deepEqual(
            (JSON.parse(stdout) as string[]).filter((name) => ![...KNOWN, ...own].includes(name)),
            [],
        );
        const source = spawnSync("cat", files, { encoding: "utf8" }).stdout;
        assert.doesNotMatch(source, new RegExp(LATER, "m"));
    });

    it("accepts certificates of the API server without the extensions that Python 3.13 requires", () => {
        for (const [file, call] of REQUESTS) {
            const { status, stderr, stdout } = spawnSync("python3", ["-B", "-c", STRICT(scriptFile(file), call)], {
                encoding: "utf8",
            });
            assert.deepEqual([status, stdout], [0, "accepted\n"], stderr);
        }
    });

    it("is refused by the parser if it is newer", () => {
        const newer = join(mkdtempSync(join(tmpdir(), "newer-")), "newer.py");
        writeFileSync(newer, "if (a := 1):\n    pass\n");
        const { stderr } = spawnSync("python3", ["-c", PARSER, newer], { encoding: "utf8" });
        rmSync(dirname(newer), { recursive: true });
        assert.match(stderr, /Assignment expressions are only supported in Python 3\.8 and greater/);
    });
});

/** The programs that make requests to the API server, and how to make one. */
const REQUESTS: readonly [string, string][] = [
    ["elastic_job.py", "Job(folder, 'lammps').read()"],
    ["budget_object.py", "Budget(folder, 'lammps').cover(set())"],
    ["curve.py", "Api()"],
];

/** A program that makes a request where Python's default context is as strict as in Python 3.13. */
const STRICT = (file: string, call: string) => `
import http.client, os, ssl, sys, tempfile
folder = tempfile.mkdtemp()
for name in ("ca.crt", "namespace", "token", "uid"):
    open(os.path.join(folder, name), "w").close()
os.environ.update(MINICLUSTER_TOKEN=folder, KUBERNETES_SERVICE_HOST="localhost", KUBERNETES_SERVICE_PORT="1")
os.environ.update(MINICLUSTER_KEY_SECRET="key")
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.verify_flags |= ssl.VERIFY_X509_STRICT
ssl.create_default_context = lambda **_: context
sys.path[:0] = ${JSON.stringify([file, scriptFile("kube_object.py")].map((each) => dirname(each)))}
# Without the call at the end that starts the program.
exec(open(${JSON.stringify(file)}).read().rsplit("\\nmain()", 1)[0])
try:
    ${call}
except OSError:
    pass
print("refused" if context.verify_flags & ssl.VERIFY_X509_STRICT else "accepted")
`;

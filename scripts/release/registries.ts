import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";

import { run, waitUntil } from "../local/run";
import type { Artifacts } from "./artifacts";
import { node, type Tools } from "./tools";

/** A registry on this machine. */
export interface Registry {
    readonly url: string;
    publish(artifacts: Artifacts): Promise<void>;
    end(): Promise<void>;
}

/**
 * A registry of npm, which has the package of the release and gets all others from the user's registry. `folder` is its own.
 */
export async function npmRegistry({ packages }: Tools, folder: string): Promise<Registry> {
    const [port, uplink] = [await freePort(), (await run("npm", ["config", "get", "registry"])).trim()];
    mkdirSync(folder, { recursive: true });
    // JSON is YAML too.
    const everybody = { access: "$all", publish: "$all" };
    const config = {
        storage: join(folder, "storage"),
        uplinks: { user: { url: uplink, maxage: "60m", timeout: "120s" } },
        packages: { "flux-minicluster": everybody, "**": { access: "$all", proxy: "user" } },
        max_body_size: "50mb",
        log: { type: "stdout", format: "json", level: "warn" },
    };
    writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
    const url = `http://127.0.0.1:${port}`;
    const program = [join(packages, "verdaccio", "bin", "verdaccio"), "--config", join(folder, "config.yaml")];
    const server = serve(node, [...program, "--listen", url], join(folder, "log"));
    await server.answers(`${url}/-/ping`);
    // Without a token, npm refuses to publish. The registry knows no users.
    const npmrc = join(folder, "npmrc");
    writeFileSync(npmrc, `registry=${url}/\n//127.0.0.1:${port}/:_authToken=none\n`);
    return {
        url,
        publish: async ({ folder: from, npm }) => {
            await run("npm", ["publish", join(from, npm), "--userconfig", npmrc, "--ignore-scripts"]);
        },
        end: server.end,
    };
}

/** An index of Python packages, which has only those of the release. */
export async function pythonIndex({ python }: Tools, folder: string): Promise<Registry> {
    const port = await freePort();
    mkdirSync(join(folder, "packages"), { recursive: true });
    const words = ["-m", "pypiserver", "run", "--interface", "127.0.0.1", "--port", String(port), "--disable-fallback"];
    const open = ["--authenticate", ".", "--passwords", "."];
    const server = serve(python, [...words, ...open, join(folder, "packages")], join(folder, "log"));
    const url = `http://127.0.0.1:${port}`;
    await server.answers(`${url}/simple/`);
    return {
        url: `${url}/simple/`,
        publish: async ({ folder: from, sdist, wheel }) => {
            const files = [sdist, wheel].map((name) => join(from, name));
            await run(python, ["-m", "twine", "check", "--strict", ...files]);
            const account = ["--username", "none", "--password", "none", "--non-interactive", "--disable-progress-bar"];
            await run(python, ["-m", "twine", "upload", "--repository-url", url, ...account, ...files]);
        },
        end: server.end,
    };
}

/** Starts a server that writes to a log. */
function serve(
    command: string,
    args: readonly string[],
    log: string,
): { answers(url: string): Promise<void>; end(): Promise<void> } {
    const file = openSync(log, "w");
    const child = spawn(command, args, { stdio: ["ignore", file, file] });
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const answers = async (url: string): Promise<void> => {
        await waitUntil(`${url} answers`, 120, async () => {
            if (child.exitCode !== null) {
                throw new Error(`The server of ${url} has ended: ${readFileSync(log, "utf8")}`);
            }
            return fetch(url).then(
                ({ ok }) => ok,
                () => false,
            );
        });
    };
    return { answers, end: () => end(child, ended) };
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
    child.kill("SIGTERM");
    await ended;
}

/** A port that no server has now. */
function freePort(): Promise<number> {
    return new Promise((resolve, reject) => {
        const server = createServer().once("error", reject);
        server.listen(0, "127.0.0.1", () => {
            const { port } = server.address() as AddressInfo;
            server.close(() => resolve(port));
        });
    });
}

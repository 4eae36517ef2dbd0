import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { flux, inside, start, type Ended, type Running } from "./flux";
import { fluxRoot } from "./root";
import { CHECKS_ATTRIBUTES, fluxMinor } from "./version";

export interface Layout {
    readonly size?: number;
    readonly cores?: string;
    /** Further arguments of `flux R encode`. */
    readonly resources?: readonly string[];
    /** The [bootstrap] table in place of the default. %PORT% stands for a free port. */
    readonly bootstrap?: string;
    /** Further configuration. */
    readonly more?: string;
}

/** Some brokers on this machine, each with its own host name, socket and run folder. */
export class Instance {
    private brokers: Running[] = [];

    private constructor(
        private readonly folder: string,
        private readonly port: number,
        private readonly minor: number,
    ) {}

    static async create({
        size = 3,
        cores = "0",
        resources: others = [],
        bootstrap,
        more = "",
    }: Layout = {}): Promise<Instance> {
        const root = await fluxRoot();
        const instance = new Instance(mkdtempSync(join(root, "tmp", "instance-")), await freePort(), await fluxMinor());
        // Other users may read the folder, as in a container. The broker must refuse them itself.
        chmodSync(instance.folder, 0o755);
        await flux("keygen", instance.path("curve.cert"));
        const hosts = `mc-[0-${size - 1}]`;
        const { stdout: resources } = await flux("R", "encode", `--hosts=${hosts}`, `--cores=${cores}`, ...others);
        instance.write("R.json", resources);
        instance.write("conf/broker.toml", `${bootstrap ?? defaultBootstrap(size)}\n${more}`);
        instance.write(
            "conf/resource.toml",
            '[resource]\npath = "%FOLDER%/R.json"\nnoverify = true\nnorestrict = true\n',
        );
        return instance;
    }

    /** Path of a file of this instance inside the brokers' root. */
    path(name: string): string {
        return `/tmp/${basename(this.folder)}/${name}`;
    }

    write(name: string, content: string, mode = 0o644): void {
        const path = join(this.folder, name);
        mkdirSync(join(path, ".."), { recursive: true });
        writeFileSync(
            path,
            content.replaceAll("%PORT%", String(this.port)).replaceAll("%FOLDER%", this.path(".").slice(0, -2)),
            { mode },
        );
    }

    mkdir(name: string): string {
        mkdirSync(join(this.folder, name), { recursive: true });
        return join(this.folder, name);
    }

    /** Arguments of `flux broker` for a rank. */
    brokerArguments(rank: number, config = "conf"): string[] {
        this.mkdir(`run${rank}`);
        return [
            "broker",
            `--config-path=${this.path(config)}`,
            ...(this.minor < CHECKS_ATTRIBUTES ? [] : [`-Shostname=mc-${rank}`]),
            `-Srundir=${this.path(`run${rank}`)}`,
            `-Slocal-uri=${this.uri(rank)}`,
            "-Slog-stderr-level=6",
            "-Slog-stderr-mode=local",
            "-Stbon.connect_timeout=2s",
        ];
    }

    /** Starts the lead with an initial program, or a follower. */
    async broker(
        rank: number,
        args: readonly string[] = [],
        env: Readonly<Record<string, string>> = {},
    ): Promise<Running> {
        return this.start(rank, ["flux", ...this.brokerArguments(rank), ...args], env);
    }

    /**
     * Runs a shell line that starts the broker of a rank with "$@". So tasks can outlive the broker in their namespace.
     */
    async shell(rank: number, line: string, args: readonly string[] = []): Promise<Running> {
        return this.start(rank, ["bash", "-c", line, "bash", "flux", ...this.brokerArguments(rank), ...args]);
    }

    private async start(
        rank: number,
        command: readonly string[],
        env: Readonly<Record<string, string>> = {},
    ): Promise<Running> {
        // Flux below 0.82 takes its host name from this variable.
        const broker = await start(command, { env: { FLUX_FAKE_HOSTNAME: `mc-${rank}`, ...env } });
        this.brokers.push(broker);
        return broker;
    }

    /** Starts so many brokers, with a command that waits for jobs of others. */
    async idle(size: number): Promise<void> {
        const { lead } = await this.run(size, "echo started; sleep 10000");
        await lead.says(/^started$/m);
    }

    /** Starts all brokers. The initial program starts when all ranks have joined. */
    async run(size: number, program: string): Promise<{ lead: Running; followers: Running[] }> {
        const lead = await this.broker(0, ["bash", "-c", program]);
        const followers: Running[] = [];
        for (let rank = 1; rank < size; rank++) {
            followers.push(await this.broker(rank));
        }
        return { lead, followers };
    }

    /** Waits until a file of this instance has content, and returns it. */
    async read(name: string): Promise<string> {
        const path = join(this.folder, name);
        while (!existsSync(path) || statSync(path).size === 0) {
            await setTimeout(20);
        }
        return readFileSync(path, "utf8");
    }

    uri(rank = 0): string {
        return `local://${this.path(`run${rank}`)}/local`;
    }

    /** Runs `flux …` as a client of the lead. */
    flux(...args: string[]): Promise<Ended> {
        return inside(["flux", ...args], { env: { FLUX_URI: this.uri() } });
    }

    async remove(): Promise<void> {
        for (const broker of this.brokers) {
            if (broker.alive) {
                broker.kill("SIGKILL");
            }
        }
        await Promise.all(this.brokers.map(({ ended }) => ended));
        rmSync(this.folder, { recursive: true, force: true });
    }
}

const defaultBootstrap = (size: number): string => `[bootstrap]
curve_cert = "%FOLDER%/curve.cert"
hosts = [
  { host = "mc-0", bind = "tcp://*:%PORT%", connect = "tcp://127.0.0.1:%PORT%" },
${size > 1 ? `  { host = "mc-[1-${size - 1}]" },` : ""}
]`;

/** The first of a hundred ports that only this process uses. */
const FIRST_PORT = 20_000 + (process.pid % 100) * 100;

let tried = 0;

/**
 * A port that stays free until a broker uses it, which can be many seconds later under load. A port that the kernel
 * chooses would not stay free: the kernel gives the ports of ip_local_port_range, from 32768 on, to any program that
 * asks for one.
 */
async function freePort(): Promise<number> {
    for (;;) {
        const port = FIRST_PORT + (tried++ % 100);
        if (await isFree(port)) {
            return port;
        }
    }
}

async function isFree(port: number): Promise<boolean> {
    const server = createServer().listen(port);
    try {
        await once(server, "listening");
    } catch {
        return false;
    }
    await new Promise((resolve) => server.close(resolve));
    return true;
}

/** Registers a new instance for each test of a suite. */
export const withInstance = (layout: Layout = {}): (() => Instance) => provide(layout, beforeEach, afterEach);

/** Registers one instance for all tests of a suite. */
export const withSharedInstance = (layout: Layout = {}): (() => Instance) => provide(layout, before, after);

function provide(layout: Layout, first: Mocha.HookFunction, last: Mocha.HookFunction): () => Instance {
    let instance: Instance | undefined;
    first(async function () {
        // The image may have to be built.
        this.timeout(300_000);
        instance = await Instance.create(layout);
    });
    last(() => instance?.remove());
    return () => {
        if (instance === undefined) {
            throw new Error("The instance exists only during tests.");
        }
        return instance;
    };
}

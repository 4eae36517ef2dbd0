import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { prometheusPrograms } from "../../../../scripts/local/prometheus";
import { run } from "../../../../scripts/local/run";
import { until } from "../../../e2e/support/until";

export const METRICS_DOCS = join(__dirname, "../../../../docs/metrics");

/** A target, with the labels that discovery in a Kubernetes cluster would add. */
export interface Target {
    readonly port: number;
    readonly labels: Readonly<Record<string, string>>;
}

/** A Prometheus of Debian that scrapes each second, with the rules of docs/metrics. */
export class Prometheus {
    private constructor(
        private readonly folder: string,
        private readonly programs: string,
        private readonly server: ChildProcess,
        private readonly port: number,
    ) {}

    static async start(targets: readonly Target[], port: number): Promise<Prometheus> {
        const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
        const programs = await prometheusPrograms();
        copyFileSync(join(METRICS_DOCS, "alerts.yaml"), join(folder, "alerts.yaml"));
        copyFileSync(join(__dirname, "alerts.test.yaml"), join(folder, "alerts.test.yaml"));
        const config = {
            global: { scrape_interval: "1s", evaluation_interval: "1s" },
            rule_files: ["alerts.yaml"],
            scrape_configs: [
                {
                    job_name: "flux",
                    static_configs: targets.map(({ labels, port: of }) => ({ targets: [`127.0.0.1:${of}`], labels })),
                },
            ],
        };
        // JSON is YAML.
        writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
        const log = openSync(join(folder, "log"), "w");
        const options = ["--config.file=prometheus.yml", "--storage.tsdb.path=data"];
        const server = spawn(join(programs, "prometheus"), [...options, `--web.listen-address=127.0.0.1:${port}`], {
            cwd: folder,
            stdio: ["ignore", log, log],
        });
        return new Prometheus(folder, programs, server, port);
    }

    /** Runs promtool with the rules and their tests. Fails if it has a complaint. */
    async check(...words: readonly string[]): Promise<string> {
        return run(join(this.programs, "promtool"), words, { cwd: this.folder });
    }

    /** What promtool says about the metrics of a target: "" if nothing. */
    checkMetrics(text: string): string {
        writeFileSync(join(this.folder, "metrics"), text);
        return `${join(this.programs, "promtool")} check metrics <${join(this.folder, "metrics")}`;
    }

    /** The series of a query; none before the server answers. */
    async query(query: string): Promise<readonly { metric: Record<string, string>; value: [number, string] }[]> {
        const url = `http://127.0.0.1:${this.port}/api/v1/query?query=${encodeURIComponent(query)}`;
        const answer = await fetch(url).catch(() => undefined);
        // 503: it starts.
        const found = answer === undefined || answer.status === 503 ? {} : await answer.json();
        const { data, error } = found as { data?: { result: never[] }; error?: string };
        assert.equal(error, undefined, query);
        return data?.result ?? [];
    }

    /** Waits until a query has a series. */
    async has(query: string): Promise<void> {
        await until(query, async () => ((await this.query(query)).length > 0 ? true : undefined));
    }

    get log(): string {
        return readFileSync(join(this.folder, "log"), "utf8");
    }

    stop(): void {
        this.server.kill("SIGKILL");
        rmSync(this.folder, { recursive: true, force: true });
    }
}

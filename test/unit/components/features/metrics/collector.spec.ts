import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";

import { scriptFile } from "../../../support/scriptFile";

const FOLDERS = ["metrics.py", "flux_sets.py"].map((file) => dirname(scriptFile(file)));

/** A Flux that answers as a test says, and a collector with short limits. */
const DRIVER = `
import asyncio, json, sys, tempfile, threading, time
sys.path[:0] = ${JSON.stringify(FOLDERS)}
import metrics
from metrics_flux import Found
from metrics_pod import Pod
from metrics_text import render
metrics.PATIENCE_SECONDS = 0.2
metrics.STALE_SECONDS = 0.2

class Flux:
    pause, reads, error = 0.3, 0, None
    def __init__(self):
        self.free = threading.Event()
        self.free.set()
    def read(self):
        self.reads += 1
        self.free.wait()
        if self.error:
            raise self.error
        return Found({"flux_ranks": {"up": 2, "drained": 0, "down": 0}, "flux_jobs": {"run": 1}}, [0.5, 20.0], "0.88.0")

folder = tempfile.mkdtemp()
settings = {"archive": True, "cluster": "mc", "least": 1, "mode": "persistent", "most": 2, "size": 2}
flux = Flux()
collector = metrics.Collector(flux, Pod(folder, settings), 2)

async def look():
    await collector.look()
    values = collector.values()
    return [values["flux_up"], values["flux_ranks"]["up"], "flux_jobs" in values, flux.reads]

async def all_of(count):
    return (await asyncio.gather(*[look() for _ in range(count)]))[-1]

def write(name, text):
    with open(folder + "/" + name, "w") as file:
        file.write(text)

async def test():
`;

function run(...lines: readonly string[]): unknown {
    const source = `${DRIVER}${lines.map((line) => `    ${line}\n`).join("")}\nprint(json.dumps(asyncio.new_event_loop().run_until_complete(test())))\nimport os\nsys.stdout.flush()\nos._exit(0)\n`;
    const { status, stderr, stdout } = spawnSync("python3", ["-B", "-c", source], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
}

describe("the collector of the metrics", () => {
    it("asks the broker once for all scrapes of a pause", () => {
        assert.deepEqual(run("return [await all_of(50), await all_of(50)]"), [
            [1, 2, true, 1],
            [1, 2, true, 1],
        ]);
        assert.deepEqual(run("await look()", "await asyncio.sleep(0.35)", "return await look()"), [1, 2, true, 2]);
    });

    it("tells that the broker is down, without values of earlier answers, and its return", () => {
        const down = ["flux.error = OSError(2, 'no socket')", "await asyncio.sleep(0.35)", "gone = await look()"];
        const back = ["flux.error = None", "await asyncio.sleep(0.35)", "return [gone, await look()]"];
        assert.deepEqual(run("await look()", ...down, ...back), [
            [0, 0, false, 2],
            [1, 2, true, 3],
        ]);
    });

    it("doesn't wait for a broker that hangs, and doesn't ask it again meanwhile", () => {
        const hang = ["await look()", "flux.free.clear()", "await asyncio.sleep(0.35)"];
        const seen = ["seen = [await look()]", "seen += [await look() for _ in range(3)]"];
        const back = ["flux.free.set()", "seen.append(await look())", "return seen"];
        const found = run(...hang, ...seen, ...back) as unknown[];
        assert.deepEqual(
            [found.at(-2), found.at(-1)],
            [
                [0, 0, false, 2],
                [1, 2, true, 2],
            ],
        );
    });

    it("has the files of the pod, whatever they contain", () => {
        const read = (...lines: string[]) => run(...lines, "return Pod(folder, settings).read()");
        const none = {
            minicluster_archive_failed: 0,
            minicluster_archive_saved_timestamp_seconds: null,
            minicluster_attempt: null,
            minicluster_broker_restarts: 0,
            minicluster_max_ranks: 2,
            minicluster_min_ranks: 1,
            minicluster_needed_ranks: null,
            minicluster_requested_ranks: 2,
        };
        assert.deepEqual(read(), none);
        const nonsense = [
            "write('restarts', 'x' * 9000)",
            "import os",
            "os.mkfifo(folder + '/attempt')",
            "write('sizes', '[1]')",
        ];
        assert.deepEqual(read(...nonsense), none);
        const right = ["write('restarts', '3')", "write('attempt', '2 0 4 f123')", "write('archive.failed', '')"];
        assert.deepEqual(read(...right, `write('sizes', '{"size": 5, "want": 7}')`), {
            ...none,
            minicluster_archive_failed: 1,
            minicluster_attempt: 2,
            minicluster_broker_restarts: 3,
            minicluster_needed_ranks: 7,
            minicluster_requested_ranks: 5,
        });
    });

    it("has both forms of the text", () => {
        const forms = run(
            "await look()",
            `return [render(collector.values(), {"minicluster": 'a"b'}, is_open) for is_open in (False, True)]`,
        );
        const [text, open] = (forms as string[]).map((form) => form.split("\n"));
        for (const line of [
            'flux_jobs{minicluster="a\\"b",state="run"} 1',
            'flux_job_wait_seconds_bucket{minicluster="a\\"b",le="15.0"} 1',
            'flux_job_wait_seconds_bucket{minicluster="a\\"b",le="+Inf"} 2',
            'flux_job_wait_seconds_sum{minicluster="a\\"b"} 20.5',
            'minicluster_info{minicluster="a\\"b",mode="persistent",flux_version="0.88.0"} 1',
            'minicluster_broker_restarts_total{minicluster="a\\"b"} 0',
        ]) {
            assert.ok(text.includes(line) && open.includes(line), line);
        }
        assert.ok(text.includes("# TYPE minicluster_broker_restarts_total counter"));
        assert.ok(open.includes("# TYPE minicluster_broker_restarts counter"));
        assert.deepEqual(open.slice(-2), ["# EOF", ""]);
        assert.ok(!text.includes("# EOF"));
    });
});

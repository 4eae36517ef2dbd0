import assert from "node:assert/strict";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { type Ended, inside } from "./support/flux";
import { type Instance, withInstance, withSharedInstance } from "./support/instance";

/** Bytes of a file of which Flux' default would store the last ten apart, which no dump keeps. */
const LARGE = 2 ** 20 + 10;

/** Prints the hash of each file. */
const SHOW = 'cd "$FLUX_JOB_TMPDIR" && find . -type f -exec sha1sum {} + | sort';

describe("flux archive and the shell option stage-in", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ size: 2 });

    before(() => instance().idle(2));

    it("give all ranks the files, with links and the permission to execute, in FLUX_JOB_TMPDIR", async () => {
        write(instance());
        assert.deepEqual(await instance().flux(...create(instance(), "files")), SUCCESS);
        const list =
            'cd "$FLUX_JOB_TMPDIR" && find . ! -type d -printf "%P %m %l\\n" | sort && wc -c <large && ./a/run';
        const { code, stderr, stdout } = await staged("files", list);
        assert.equal(code, 0, stderr);
        const lines = [
            "a/run 755 ",
            "empty 644 ",
            "large 644 ",
            "link 777 a/run",
            "small 644 ",
            String(LARGE),
            "it runs",
        ];
        assert.deepEqual(stdout.trimEnd().split("\n").sort(), [...lines, ...lines].sort());
    });

    it("start the tasks in the folder of the job, not in that of the files", async () => {
        write(instance());
        await instance().flux(...create(instance(), "cwd"));
        assert.equal((await staged("cwd", "pwd", "-N1", "--cwd=/tmp")).stdout, "/tmp\n");
    });

    it("refuse an archive of a name that exists, and take it again after its removal", async () => {
        write(instance());
        const words = create(instance(), "twice");
        await instance().flux(...words);
        const { code, stderr } = await instance().flux(...words);
        assert.deepEqual([code, stderr], [1, "flux-archive: archive.twice: key exists\n"]);
        assert.equal(
            (await instance().flux("archive", "list", "-n", "twice")).stdout.split("\n").sort().join(),
            ",./a,./a/run,./empty,./large,./link,./small",
        );
        assert.deepEqual(await instance().flux("archive", "remove", "-n", "twice"), SUCCESS);
        assert.deepEqual(await instance().flux("archive", "list", "-n", "twice"), {
            code: 1,
            stdout: "",
            stderr: "flux-archive: KVS lookup archive.twice: No such file or directory\n",
        });
        assert.deepEqual(await instance().flux(...words), SUCCESS);
    });

    it("fail a job whose archive doesn't exist", async () => {
        const { code, stderr } = await staged("none", "true", "-N1");
        assert.equal(code, 1);
        assert.match(
            stderr,
            /stage-in: could not lookup archive\.none in primary KVS namespace: No such file or directory/,
        );
    });

    it("fail a job if a small file of its archive has a NUL and is UTF-8 otherwise", async () => {
        const archive = async (name: string, bytes: string) => {
            const words = create(instance(), name).slice(0, -2);
            const text = `mkdir -p ${name} && printf '${bytes}' >${name}/bytes && flux ${words.join(" ")} -C ${name} bytes`;
            const done = await inside(["sh", "-c", `cd ${instance().path("")} && ${text}`], {
                env: { FLUX_URI: instance().uri() },
            });
            assert.deepEqual(done, SUCCESS);
            return staged(name, 'od -An -tx1 "$FLUX_JOB_TMPDIR/bytes"', "-N1");
        };
        assert.equal((await archive("latin", "\\377\\0")).stdout, " ff 00\n");
        const { code, stderr } = await archive("nul", "a\\0b");
        assert.equal(code, 1);
        assert.match(stderr, /stage-in: could not lookup archive\.nul in primary KVS namespace: Invalid argument/);
    });

    it("remove the files with the job", async () => {
        write(instance());
        await instance().flux(...create(instance(), "gone"));
        const { stdout } = await staged("gone", 'echo "$FLUX_JOB_TMPDIR"', "-N1");
        assert.equal((await inside(["test", "-e", stdout.trim()])).code, 1);
    });

    const staged = (name: string, text: string, ...options: string[]): Promise<Ended> =>
        instance().flux(
            "run",
            ...(options.length > 0 ? options : ["-N2"]),
            `-o`,
            `stage-in.names=${name}`,
            "bash",
            "-c",
            text,
        );
});

describe("a dump of an instance with an archive of files", function () {
    this.timeout(120_000);
    const instance = withInstance({ size: 1 });
    const lead = async (options: readonly string[], program: string): Promise<Ended> =>
        (await instance().broker(0, [...options, "bash", "-c", program])).ended;

    for (const [what, without] of [
        ["keeps the files", ""],
        ["lacks contents without --preserve", "--preserve"],
        ["lacks the end of a file that is stored in two parts, without --chunksize", "--chunksize=0"],
    ]) {
        it(what, async () => {
            write(instance());
            const file = instance().path("dump.tgz");
            const words = create(instance(), "kept").filter((word) => word !== without);
            const first = await lead([], `flux ${words.join(" ")} && ${run(SHOW)} && flux dump --quiet ${file}`);
            assert.equal(first.code, 0, first.stderr);
            const second = await lead([`-Scontent.restore=${file}`], run(SHOW));
            const expected = without === "" ? [0, first.stdout] : [1, ""];
            assert.deepEqual([second.code, second.stdout], expected, second.stderr);
        });
    }

    const run = (text: string) => `flux run -o stage-in.names=kept bash -c '${text}'`;
});

const SUCCESS: Ended = { code: 0, stdout: "", stderr: "" };

/** The words with which the provider makes an archive. */
function create(instance: Instance, name: string): string[] {
    return [
        "archive",
        "create",
        "--preserve",
        "--chunksize=0",
        `--name=${name}`,
        `--directory=${instance.path("files")}`,
        ".",
    ];
}

function write(instance: Instance): void {
    instance.write("files/a/run", "#!/bin/sh\necho it runs\n", 0o755);
    instance.write("files/empty", "");
    instance.write("files/small", "small");
    instance.write("files/large", "large\n".repeat(LARGE).slice(0, LARGE));
    const folder = instance.mkdir("files");
    chmodSync(join(folder, "a/run"), 0o755);
    try {
        symlinkSync("a/run", join(folder, "link"));
    } catch {
        // It is there already.
    }
}

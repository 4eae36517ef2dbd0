import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

import { scriptFile } from "../../support/scriptFile";

describe("prepare.sh", () => {
    let folder: string;
    const { gid, uid } = userInfo();

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "prepare-"))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    function run(files: Record<string, string>, user?: string) {
        ["run.sh", "prepare.sh"].forEach((name) => copyFileSync(scriptFile(name), join(folder, name)));
        Object.entries(files).forEach(([name, text]) => writeFileSync(join(folder, name), text));
        const account = {
            MINICLUSTER_USER: user,
            MINICLUSTER_PASSWD: join(folder, "image-passwd"),
            MINICLUSTER_GROUP: join(folder, "image-group"),
        };
        const env = {
            PATH: process.env.PATH,
            MINICLUSTER_PREPARED: folder,
            MINICLUSTER_HOME: join(folder, "home"),
            ...(user === undefined ? { MINICLUSTER_HOSTS: join(folder, "image-hosts") } : account),
        };
        const { status, stderr } = spawnSync("/bin/sh", [join(folder, "prepare.sh")], { env, encoding: "utf8" });
        assert.deepEqual([status, stderr], [0, ""]);
        return (name: string) => readFileSync(join(folder, name), "utf8");
    }

    /** Expects that the script ends the pod with these words. */
    function refuses(expected: string): void {
        ["run.sh", "prepare.sh"].forEach((name) => copyFileSync(scriptFile(name), join(folder, name)));
        const env = {
            PATH: process.env.PATH,
            MINICLUSTER_PREPARED: folder,
            MINICLUSTER_HOME: join(folder, "home/flux"),
            MINICLUSTER_USER: "flux",
            MINICLUSTER_PASSWD: join(folder, "image-passwd"),
            MINICLUSTER_GROUP: join(folder, "image-group"),
            MINICLUSTER_TERMINATION_LOG: join(folder, "log"),
        };
        const { status, stderr } = spawnSync("/bin/sh", [join(folder, "prepare.sh")], { env, encoding: "utf8" });
        assert.deepEqual([status, stderr.trimEnd().split("\n").at(-1)], [78, `minicluster: ${expected}`]);
        assert.equal(readFileSync(join(folder, "log"), "utf8"), `minicluster.error=${expected}\n`);
    }

    it("names an account file of the image that is no file", () => {
        mkdirSync(join(folder, "image-group"));
        const file = join(folder, "image-group");
        const cure = "make it a readable file, or give podSecurityContext.runAsUser in place of user";
        refuses(`user ${uid} can't read the image's ${file}; ${cure}`);
    });

    it("names a home that can't be made", () => {
        writeFileSync(join(folder, "home"), "a file");
        refuses(`user ${uid} can't create its home ${join(folder, "home/flux")}`);
    });

    it("copies the hosts file, even if its last line has no line end", () => {
        assert.equal(
            run({ "image-hosts": "127.0.0.1\tlocalhost\n10.0.0.1 \\n * x" })("hosts"),
            "127.0.0.1\tlocalhost\n10.0.0.1 \\n * x\n",
        );
        assert(!existsSync(join(folder, "passwd")));
    });

    it("adds an account that the image doesn't have", () => {
        const read = run(
            { "image-passwd": "daemon:x:77777:77777::/:/bin/sh\n", "image-group": "daemon:x:77777:\n" },
            "flux",
        );
        assert.equal(
            read("passwd"),
            `daemon:x:77777:77777::/:/bin/sh\nflux:x:${uid}:${gid}::${join(folder, "home")}:/bin/bash\n`,
        );
        assert.equal(read("group"), `daemon:x:77777:\nflux:x:${gid}:\n`);
        assert(existsSync(join(folder, "home")));
    });

    it("uses the image's account with the same name and uid", () => {
        const passwd = `flux:x:${uid}:${gid}:Flux:/home/flux:/bin/zsh\n`;
        const read = run({ "image-passwd": passwd, "image-group": `flux:x:${gid}:\n` }, "flux");
        assert.deepEqual([read("passwd"), read("group")], [passwd, `flux:x:${gid}:\n`]);
        assert(!existsSync(join(folder, "home")));
    });

    it("overrides accounts that have only the same name or only the same uid", () => {
        const read = run(
            {
                "image-passwd": `other:x:${uid}:1::/:/bin/sh\nflux:x:77777:1::/:/bin/sh\nkept:x:2:2::/:/bin/sh\n`,
                "image-group": "",
            },
            "flux",
        );
        assert.equal(
            read("passwd"),
            `kept:x:2:2::/:/bin/sh\nflux:x:${uid}:${gid}::${join(folder, "home")}:/bin/bash\n`,
        );
    });

    it("adds an account to an image without accounts", () => {
        assert.match(run({}, "flux")("passwd"), /^flux:x:/);
    });
});

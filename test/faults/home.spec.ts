import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ChangingCluster } from "../e2e/support/changing";
import { makeLocalVolume } from "../e2e/support/localVolume";
import { useNamespace } from "../e2e/support/namespace";
import { doTo } from "../e2e/support/podActions";
import { SleepingCluster } from "../e2e/support/sleepingCluster";
import { until } from "../e2e/support/until";

/** HOME_FILES=100 makes fewer. */
const FILES = Number(process.env["HOME_FILES"] ?? 20_000);
const FILES_OF_A_FOLDER = 100;
const OWNERS = [0, 1000, 1001, 70_000];
const MODES = [0o600, 0o400, 0o640, 0o644, 0o755, 0o4711];
const FOLDER_MODES = [0o700, 0o755, 0o2770, 0o1777];

/** Fills a folder with files of some users; those of a folder `.ssh` are private. */
function fill(home: string): void {
    for (let number = 0; number < FILES; number++) {
        const folder = Math.floor(number / FILES_OF_A_FOLDER);
        const parent = join(home, folder % 10 === 0 ? `${folder}/.ssh` : `${folder}`);
        mkdirSync(parent, { recursive: true });
        const file = join(parent, `${number}`);
        writeFileSync(file, `file ${number}`);
        give(file, number, MODES);
    }
    readdirSync(home).forEach((folder, number) => give(join(home, folder), number, FOLDER_MODES));
}

function give(path: string, number: number, modes: readonly number[]): void {
    const uid = OWNERS[number % OWNERS.length] ?? 0;
    chownSync(path, uid, uid);
    chmodSync(path, modes[number % modes.length] ?? 0);
}

/** Owner, group, mode, time of the last change of these, and a hash of the content, of each file and folder. */
function look(home: string): Map<string, string> {
    const paths = ["", ...readdirSync(home, { recursive: true, encoding: "utf8" })];
    return new Map(
        paths.map((path) => {
            const of = lstatSync(join(home, path));
            const content = of.isFile() ? readFileSync(join(home, path)) : "";
            const hash = createHash("sha256").update(content).digest("hex");
            return [path, `${of.uid} ${of.gid} ${of.mode.toString(8)} ${of.ctimeMs} ${hash}`];
        }),
    );
}

const USERS = {
    "a user": { user: { uid: 1000 } },
    "a uid": { podSecurityContext: { runAsUser: 1000, runAsNonRoot: true } },
    "a uid and a group": { podSecurityContext: { runAsUser: 1001, runAsGroup: 50 } },
};

/** The namespace enforces the pod security standard restricted. */
describe(`claim with a home of ${FILES} files`, function () {
    this.timeout(900_000);
    const namespace = useNamespace({ podSecurity: "restricted" });
    const removals: (() => Promise<void>)[] = [];
    let home = "";

    before(async () => {
        const volumes = [await makeLocalVolume(namespace, "home"), await makeLocalVolume(namespace, "archive")];
        removals.push(...volumes.map(({ remove }) => remove));
        home = volumes[0]?.path ?? "";
        fill(home);
    });

    after(() => Promise.all(removals.map((remove) => remove())));

    const argsOf = ({ podSecurityContext = {}, ...others }: { podSecurityContext?: object; user?: object }) => ({
        volumes: [{ name: "home", mountPath: "/home", persistentVolumeClaim: "home" }],
        podSecurityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" }, ...podSecurityContext },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        ...others,
    });

    for (const [index, [words, args]] of Object.entries(USERS).entries()) {
        it(`stays as it is when a cluster with ${words} starts, restarts, loses its lead, and is destroyed`, async () => {
            const before = look(home);
            const cluster = new ChangingCluster(namespace, `home-${index}`, { size: 2, ...argsOf(args) });
            await cluster.stack.up();
            assert.match(await cluster.flux("exec", "stat", "-c", "%a", "/run/flux/curve.cert"), /^(400\n?){2}$/);
            cluster.set({ environment: { CHANGED: "yes" } });
            await cluster.stack.up();
            await doTo(namespace, cluster.name, 0, "pod is deleted");
            await until("both ranks are up again", async () => {
                const up = await cluster.flux("resource", "list", "-s", "up", "-no", "{nnodes}").catch(() => "");
                return up.trim() === "2" || undefined;
            });
            await cluster.stack.destroy();
            assert.deepEqual(look(home), before);
        });
    }

    it("stays as it is when a cluster with a user sleeps and wakes", async () => {
        const before = look(home);
        const archive = { persistentVolumeClaim: "archive" };
        const cluster = new SleepingCluster(namespace, { ...argsOf(USERS["a user"]), archive });
        await cluster.stack.up();
        await cluster.asleep();
        await cluster.command("wake");
        assert.equal((await cluster.flux("run", "id", "-u")).trim(), "1000");
        await cluster.stack.destroy();
        assert.deepEqual(look(home), before);
    });

    it("changes with an fsGroup of the user, because Kubernetes applies it to this type of volume", async () => {
        const before = look(home);
        const podSecurityContext = { runAsUser: 1000, fsGroup: 1000 };
        const cluster = new ChangingCluster(namespace, "group", { size: 1, ...argsOf({ podSecurityContext }) });
        await cluster.stack.up();
        const after = look(home);
        assert.ok([...before].every(([path, was]) => after.get(path) !== was));
        await cluster.stack.destroy();
    });
});

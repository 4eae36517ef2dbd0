import assert from "node:assert/strict";
import { homedir } from "node:os";

import { homeFolder } from "../../../../provider/kubernetes/kubeconfig/home";
import { startOf } from "../../../../provider/kubernetes/kubeconfig/program";

/** A Windows that has only these files. */
const windows = (...files: string[]) => ({
    platform: "win32" as const,
    exists: (path: string) => files.includes(path),
});

describe("startOf", () => {
    const env = { Path: "C:\\tools;C:\\az", PATHEXT: ".COM;.EXE;.BAT;.CMD", COMSPEC: "C:\\cmd.exe" };
    const hidden = { detached: false, windowsHide: true };

    it("starts a program of its name in a process group of its own", () => {
        const options = { detached: true, windowsHide: true };
        assert.deepEqual(startOf("aws", ["eks"], {}, { ...windows(), platform: "linux" }), {
            file: "aws",
            args: ["eks"],
            options,
        });
    });

    it("finds a program of Windows by the endings that PATHEXT has, in the order of the folders", () => {
        const has = windows("C:\\az\\aws.EXE", "C:\\tools\\aws.CMD");
        assert.equal(startOf("aws", [], env, windows("C:\\az\\aws.EXE")).file, "C:\\az\\aws.EXE");
        assert.equal(startOf("aws.EXE", [], env, has).file, "C:\\az\\aws.EXE");
        assert.equal(startOf("C:\\az\\aws", [], env, has).file, "C:\\az\\aws.EXE");
        assert.deepEqual(startOf("aws.EXE", ["a b"], env, has).args, ["a b"]);
        assert.deepEqual(startOf("aws.EXE", [], env, has).options, hidden);
    });

    it("leaves a program that isn't found to the error of its start", () => {
        assert.equal(startOf("aws", [], env, windows()).file, "aws");
    });

    it("starts a batch file of Windows through cmd.exe", () => {
        assert.deepEqual(startOf("az", ["account", "a b&c", "x\\"], env, windows("C:\\az\\az.CMD")), {
            file: "C:\\cmd.exe",
            args: ["/d", "/s", "/c", '""C:\\az\\az.CMD" "account" "a b&c" "x\\\\""'],
            options: { ...hidden, windowsVerbatimArguments: true },
        });
    });

    for (const word of ['a"b', "%PATH%", "a!b", "a\nb"]) {
        it(`refuses ${JSON.stringify(word)} for a batch file, because cmd.exe would interpret it`, () => {
            assert.throws(() => startOf("az", [word], env, windows("C:\\az\\az.CMD")), {
                message: /^it is a batch file, and cmd\.exe would interpret a character/,
            });
        });
    }
});

describe("homeFolder", () => {
    const env = { HOME: "C:\\home", HOMEDRIVE: "H:", HOMEPATH: "\\me", USERPROFILE: "C:\\Users\\me" };
    const cases: [string, NodeJS.ProcessEnv, string[], string][] = [
        ["the first that has a kubeconfig", env, ["H:\\me\\.kube\\config", "C:\\Users\\me\\.kube\\config"], "H:\\me"],
        ["else the first that exists", env, ["H:\\me", "C:\\Users\\me"], "C:\\Users\\me"],
        ["else the first that is set", env, [], "C:\\home"],
        ["of what is set", { USERPROFILE: "C:\\Users\\me", HOME: "" }, [], "C:\\Users\\me"],
        ["the system's without any of them", {}, [], homedir()],
    ];
    for (const [what, variables, files, expected] of cases) {
        it(`on Windows is ${what}`, () => {
            assert.equal(homeFolder(variables, "win32", windows(...files).exists), expected);
        });
    }

    it("elsewhere is the system's", () => {
        assert.equal(
            homeFolder(env, "linux", () => true),
            homedir(),
        );
    });
});

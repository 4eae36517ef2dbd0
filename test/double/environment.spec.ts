import assert from "node:assert/strict";

import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";

describe("Flux' environment of jobs", () => {
    const instance = withSharedInstance({ size: 2 });

    before(async () => {
        const lua = [
            'shell.setenv ("SECRET", "two\\nlines \\"and\\" \\\\ \\r", 0)',
            'shell.setenv ("RANK_S", "own", 1)',
            'shell.setenv ("EMPTY", "")',
        ];
        instance().write("shell/rank.lua", `-- a comment\n${lua.join("\n")}\n`);
        instance().write("commands/flux-submit", '#!/bin/sh\necho "$0 $*"\n', 0o755);
        instance().write("commands/flux-version", "#!/bin/sh\necho ours\n", 0o755);
        const real =
            'echo "$FLUX_EXEC_PATH" >&2; FLUX_EXEC_PATH=${FLUX_EXEC_PATH#*:}; unset FLUX_EXEC_PATH_PREPEND; exec flux "${0##*/flux-}"';
        instance().write("commands/flux-run", `#!/bin/sh\n${real} --env=A=1 "$@"\n`, 0o755);
        await instance().idle(2);
    });

    async function run(program: string) {
        const env = {
            FLUX_URI: instance().uri(),
            FLUX_EXEC_PATH_PREPEND: instance().path("commands"),
            FLUX_SHELL_RC_PATH: instance().path("shell"),
        };
        return inside(["bash", "-c", program], { env });
    }

    it("runs commands of FLUX_EXEC_PATH_PREPEND in place of its own", async () => {
        const { stdout } = await run("flux submit -n1 true");
        assert.equal(stdout, `${instance().path("commands")}/flux-submit -n1 true\n`);
    });

    it("runs no such command in place of those that are built into flux", async () => {
        assert.match((await run("flux version")).stdout, /^commands:/m);
    });

    it("lets such a command run Flux' own, with options before the user's", async () => {
        const { code, stderr, stdout } = await run("A=0 flux run --env=B=2 sh -c 'echo $A $B; exit 3'");
        assert.deepEqual([code, stdout], [3, "1 2\n"]);
        assert.ok(stderr.startsWith(`${instance().path("commands")}:`), stderr);
    });

    it("gives each task the variables of the Lua files in FLUX_SHELL_RC_PATH", async () => {
        const { stdout } = await run(
            'flux run -N2 sh -c \'printf "<%s>" "$SECRET" "$RANK_S" "$EMPTY" | tr "\\n" /; echo\'',
        );
        assert.equal(stdout, '<two/lines "and" \\ \r><own><>\n'.repeat(2));
    });

    it("replaces variables of the jobspec only if the file says so", async () => {
        const { stdout } = await run("flux run --env=SECRET=mine --env=RANK_S=mine sh -c 'echo $SECRET $RANK_S'");
        assert.equal(stdout, "mine own\n");
    });

    it("keeps these variables out of the jobspec", async () => {
        const { stdout } = await run(
            "flux run sh -c 'flux job info $FLUX_JOB_ID J; flux job info $FLUX_JOB_ID jobspec'",
        );
        // Flux' answer for `jobspec` has no environment, but the signed jobspec has it.
        const [signed] = stdout.split("\n");
        const all = stdout + Buffer.from(signed.split(".")[1], "base64").toString();
        assert.match(all, /"FLUX_SHELL_RC_PATH"/);
        assert.doesNotMatch(all, /SECRET|RANK_S/);
    });
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const cwd = join(__dirname, "../..");

/** Path and line ends of each file, in the repository and in a checkout. */
function files(): { path: string; index: string; attributes: string }[] {
    const lines = execFileSync("git", ["ls-files", "--eol"], { cwd, encoding: "utf8" }).trim().split("\n");
    return lines.map((line) => {
        const [, index, attributes, path] = /^i\/(\S*)\s+w\/\S*\s+attr\/(.*?)\s*\t(.*)$/.exec(line) ?? [];
        return { path, index, attributes };
    });
}

describe("the files of the repository", () => {
    const isCommand = ({ path }: { path: string }) => path.endsWith(".cmd");

    it("keep the line ends of Linux in every checkout, because scripts go from it into pods", () => {
        const others = files().filter((file) => !isCommand(file));
        assert.ok(others.length > 1000);
        assert.deepEqual(
            others.filter(({ attributes }) => attributes !== "text=auto eol=lf"),
            [],
        );
        assert.deepEqual(
            others.filter(({ index }) => index !== "lf" && index !== "none" && index !== "-text"),
            [],
        );
    });

    it("have the line ends of Windows only where cmd.exe reads them", () => {
        const commands = files().filter(isCommand);
        assert.ok(commands.length >= 1);
        assert.deepEqual(
            commands.filter(({ attributes, index }) => index !== "crlf" || attributes !== "-text"),
            [],
        );
    });
});

// Makes archives: the same files make the same bytes, whenever and by whomever the archive is made.
import { spawnSync } from "node:child_process";

/** The time of all files, in seconds since 1970. pip makes wheels with it as well (SOURCE_DATE_EPOCH); zip begins in 1980. */
export const EPOCH = 946_684_800;

/** Writes what has a name in a folder, with all that is below it, to a file. Needs GNU tar and gzip. */
export function archive(folder, name, file) {
    const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
    const order = ["--format=ustar", "--sort=name", `--mtime=@${EPOCH}`];
    // Without -n, gzip writes a time.
    const words = [
        "--create",
        "--use-compress-program=gzip -n -9",
        ...owner,
        ...order,
        "--file",
        file,
        "-C",
        folder,
        name,
    ];
    const { status, stderr } = spawnSync("tar", words, { encoding: "utf8" });
    if (status !== 0) {
        throw new Error(`${file} can't be written: ${stderr}`);
    }
}

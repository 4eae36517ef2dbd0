import assert from "node:assert/strict";

import { importPublicImage } from "./support/image";
import { useNamespace } from "./support/namespace";
import { grant } from "./support/rights";
import { sharedCluster } from "./support/sharedCluster";

/** A row of the table: bytes, and for each of three measurements its time and its speed. */
const ROW = /^ *(\d+)((?: +[\d.]+){6})$/gm;

describe("the page of the example mpi", () => {
    const namespace = useNamespace();

    it("prints a table of times, or fails with the name of the compiler that the image lacks", async () => {
        const image = await importPublicImage((await sharedCluster()).cluster);
        await grant(namespace, "configmaps", "patch");
        const printed = await namespace
            .page("mpi", image)
            .run()
            .catch((error: Error) => error.message);
        if (typeof printed === "string") {
            assert.match(printed, /mpicc: command not found\n.*the pre hook ended the start with exit code 127/);
            return;
        }
        const text = printed.join("");
        assert.match(text, /^4 tasks on 2 hosts$/m);
        const rows = [...text.matchAll(ROW)].map(([, bytes, numbers]) => ({
            bytes,
            numbers: numbers.trim().split(/ +/),
        }));
        assert.deepEqual(
            [...new Set(rows.map(({ bytes }) => bytes))],
            ["8", "64", "512", "4096", "32768", "262144", "2097152"],
        );
        const times = rows.flatMap(({ numbers }) => numbers.filter((_, index) => index % 2 === 0));
        assert.ok(
            times.every((time) => Number(time) > 0),
            text,
        );
    });
});

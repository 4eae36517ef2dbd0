import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { withInstance } from "../double/support/instance";

describe("stand-in for Flux", function () {
    this.timeout(120_000);
    const instance = withInstance();

    // As in Flux, the refused rank waits for an answer to its goodbye for a minute.
    it("refuses a rank with another list of hosts", async () => {
        const config = readFileSync(`${instance().mkdir("conf")}/broker.toml`, "utf8");
        const lead = await instance().broker(0, ["-Sbroker.quorum=1", "sleep", "1000"]);
        await lead.says(/quorum-full: quorum->run/);
        instance().write("conf/broker.toml", config.replace("mc-[1-2]", "mc-[2-3]"));
        const stranger = await instance().broker(2);
        assert.equal((await stranger.ended).code, 1);
        assert.match(stranger.stderr, /overlay\.hello: Invalid argument/);
        assert.match(
            lead.stderr,
            /rejecting connection from mc-2 \(rank 1\): mc-1 is configured as rank 1: mismatched config\?/,
        );
    });
});

import assert from "node:assert/strict";

import { noticeEnvironment } from "../../../../components/rules/environment";

const notices = (environment: Record<string, string>) => noticeEnvironment({ environment });

describe("noticeEnvironment", () => {
    for (const path of ["/opt/bin:$PATH", "~/bin:/bin", '"/usr/bin:/bin"', "/opt/bin:`pwd`", "/bin:$(PATH)"]) {
        it(`warns of the PATH ${path}`, () => {
            const reason =
                `is ${JSON.stringify(path)}. No shell reads it, so the pods' PATH has exactly this text. Write all folders ` +
                "in full, or extend the image's PATH in hooks.init: export PATH=/folder:$PATH.";
            assert.deepEqual(notices({ PATH: path }), [{ property: "environment.PATH", reason }]);
        });
    }

    it("warns of options of bash, which no job gets", () => {
        const found = notices({ SHELLOPTS: "xtrace", BASHOPTS: "extglob" });
        assert.deepEqual(
            found.map(({ property }) => property),
            ["environment.BASHOPTS", "environment.SHELLOPTS"],
        );
        assert.match(found[0]?.reason ?? "", /^is given, but reaches no broker and no job, /);
    });

    it("warns of nothing else", () => {
        assert.deepEqual(notices({ PATH: "/opt/a b/bin:/usr/bin", OTHER: "$PATH" }), []);
        assert.deepEqual(notices({}), []);
    });
});

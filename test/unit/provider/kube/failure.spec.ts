import { ApiException } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { apiFailure, hasCode, isTransient, sentence } from "../../../../provider/kube/failure";

const forbidden = {
    kind: "Status",
    reason: "Forbidden",
    message: 'pods is forbidden: User "me" cannot list resource "pods"',
};
const api = (code: number, body: unknown) => new ApiException(code, "text", body, {});
const network = (code: string) =>
    new TypeError("fetch failed", { cause: Object.assign(new Error(`connect ${code}`), { code }) });

describe("apiFailure", () => {
    const cases: [string, unknown, object | undefined][] = [
        ["an object", api(403, forbidden), { code: 403, reason: "Forbidden", message: forbidden.message }],
        ["JSON", api(403, JSON.stringify(forbidden)), { code: 403, reason: "Forbidden", message: forbidden.message }],
        [
            "another text",
            api(502, "<html>bad gateway</html>"),
            { code: 502, reason: "", message: "<html>bad gateway</html>" },
        ],
        ["nothing", api(503, undefined), { code: 503, reason: "", message: "HTTP status 503" }],
        ["an empty text", api(503, ""), { code: 503, reason: "", message: "HTTP status 503" }],
        ["an object without a message", api(500, {}), { code: 500, reason: "", message: "HTTP status 500" }],
        ["JSON that is no object", api(500, "null"), { code: 500, reason: "", message: "HTTP status 500" }],
    ];
    for (const [what, error, expected] of cases) {
        it(`reads ${what} in the body`, () => assert.deepEqual(apiFailure(error), expected));
    }

    for (const other of [new Error("x"), network("ECONNRESET"), undefined, null, "text"]) {
        it(`is none in ${String(other)}`, () => assert.equal(apiFailure(other), undefined));
    }

    it("is none in an error of the system, whose code is a text", () => {
        assert.equal(apiFailure(Object.assign(new Error("x"), { code: "ENOENT" })), undefined);
    });
});

describe("hasCode", () => {
    it("compares the status", () => {
        assert.equal(hasCode(api(404, {}), 404), true);
        assert.equal(hasCode(api(404, {}), 409), false);
        assert.equal(hasCode(undefined, 404), false);
    });
});

describe("sentence", () => {
    it("is what the API server said, and nothing of its headers", () => {
        assert.equal(sentence(api(403, forbidden)), forbidden.message);
    });

    it("has the cause of an error that says nothing by itself", () => {
        assert.equal(sentence(network("ECONNREFUSED")), "fetch failed: connect ECONNREFUSED");
        assert.equal(sentence(new Error("plain")), "plain");
    });
});

describe("isTransient", () => {
    for (const code of [429, 500, 502, 503, 504]) {
        it(`is true of status ${code}`, () => assert.equal(isTransient(api(code, {})), true));
    }

    for (const code of [400, 401, 403, 404, 409, 410, 422]) {
        it(`is false of status ${code}`, () => assert.equal(isTransient(api(code, {})), false));
    }

    for (const code of ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT"]) {
        it(`is true of ${code}, however deep`, () => {
            assert.equal(isTransient(network(code)), true);
            assert.equal(isTransient(new Error("outer", { cause: network(code) })), true);
        });
    }

    for (const code of ["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_INVALID_URL"]) {
        it(`is false of ${code}, which doesn't pass`, () => assert.equal(isTransient(network(code)), false));
    }

    it("is true of a timeout", () => assert.equal(isTransient(new DOMException("x", "TimeoutError")), true));
    it("is false of a mistake in the program", () =>
        assert.equal(isTransient(new TypeError("x is not a function")), false));
    it("is false of nothing", () => assert.equal(isTransient(undefined), false));
});

import { ApiException } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { apiFailure, hasCode, isTransient, sentence } from "../../../../provider/kubernetes/failures/failure";

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
            "plain text",
            api(502, "<html>bad gateway</html>"),
            { code: 502, reason: "", message: "<html>bad gateway</html>" },
        ],
        ["missing", api(503, undefined), { code: 503, reason: "", message: "HTTP status 503" }],
        ["empty", api(503, ""), { code: 503, reason: "", message: "HTTP status 503" }],
        ["an object without a message", api(500, {}), { code: 500, reason: "", message: "HTTP status 500" }],
        ["JSON that isn't an object", api(500, "null"), { code: 500, reason: "", message: "HTTP status 500" }],
    ];
    for (const [what, error, expected] of cases) {
        it(`reads a body that is ${what}`, () => assert.deepEqual(apiFailure(error), expected));
    }

    for (const other of [new Error("x"), network("ECONNRESET"), undefined, null, "text"]) {
        it(`returns undefined for ${String(other)}`, () => assert.equal(apiFailure(other), undefined));
    }

    it("returns undefined for an error of the system, whose code is a text", () => {
        assert.equal(apiFailure(Object.assign(new Error("x"), { code: "ENOENT" })), undefined);
    });
});

describe("hasCode", () => {
    it("compares the HTTP status", () => {
        assert.equal(hasCode(api(404, {}), 404), true);
        assert.equal(hasCode(api(404, {}), 409), false);
        assert.equal(hasCode(undefined, 404), false);
    });
});

describe("sentence", () => {
    it("is the API server's message, without its headers", () => {
        assert.equal(sentence(api(403, forbidden)), forbidden.message);
    });

    it("adds the cause of an error whose own message says nothing", () => {
        assert.equal(sentence(network("ECONNREFUSED")), "fetch failed: connect ECONNREFUSED");
        assert.equal(sentence(new Error("plain")), "plain");
    });
});

describe("isTransient", () => {
    for (const code of [429, 500, 502, 503, 504]) {
        it(`is true for status ${code}`, () => assert.equal(isTransient(api(code, {})), true));
    }

    for (const code of [400, 401, 403, 404, 409, 410, 422]) {
        it(`is false for status ${code}`, () => assert.equal(isTransient(api(code, {})), false));
    }

    for (const code of ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT"]) {
        it(`is true for ${code}, even as a nested cause`, () => {
            assert.equal(isTransient(network(code)), true);
            assert.equal(isTransient(new Error("outer", { cause: network(code) })), true);
        });
    }

    for (const code of ["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_INVALID_URL"]) {
        it(`is false for ${code}, which is permanent`, () => assert.equal(isTransient(network(code)), false));
    }

    it("is true for a timeout", () => assert.equal(isTransient(new DOMException("x", "TimeoutError")), true));
    it("is false for a mistake in the program", () =>
        assert.equal(isTransient(new TypeError("x is not a function")), false));
    it("is false for undefined", () => assert.equal(isTransient(undefined), false));
});

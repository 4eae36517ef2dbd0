import assert from "node:assert/strict";

import { validateRestful } from "../../../../../components/features/restful/rules";
import { makeSpec } from "../../../support/spec";

type Restful = NonNullable<Parameters<typeof makeSpec>[0]>["restful"];

const problemsOf = (restful: Restful, command: string[] = []) =>
    validateRestful(makeSpec({ command, restful })).map(({ property, reason }) => `${property}: ${reason}`);

describe("validateRestful", () => {
    const right: [string, Restful][] = [
        ["no restful argument", undefined],
        ["all defaults", {}],
        ["a disabled server", { enabled: false }],
        ["the known version", { version: "1.1.0" }],
        [
            "another version with its hashes",
            { version: "1.2.0", requirements: "flux-restful==1.2.0 --hash=sha256:00\n" },
        ],
        ["the URL of an index", { indexUrl: "https://pypi.example/simple" }],
        ["another port, number of workers and user", { port: 8443, workers: 4, user: "ada.l@example" }],
    ];
    for (const [what, restful] of right) {
        it(`accepts ${what}`, () => assert.deepEqual(problemsOf(restful), []));
    }

    const wrong: [Restful, string][] = [
        [{ port: 0 }, "restful.port: is 0; ports go from 1 to 65535."],
        [{ port: 8050 }, "restful.port: is 8050, which is the broker's port. Change one of them."],
        [{ workers: 0 }, "restful.workers: is 0; it must be at least 1."],
        [
            { user: "a b" },
            `restful.user: is "a b"; a user name has up to 64 letters, digits, '.', '_', '@' and '-', and starts with a letter or a digit.`,
        ],
        [{ version: "newest" }, 'restful.version: is "newest", which is not a version. Write it like "1.1.0".'],
        [
            { version: "1.2.0" },
            'restful.version: is "1.2.0"; this package has the hashes of 1.1.0 only. Give restful.requirements too.',
        ],
        [
            { requirements: "flux-restful==1.2.0" },
            "restful.requirements: has no hashes; without them pip would install any file of an index. Make it with pip-compile --generate-hashes.",
        ],
        [
            { indexUrl: "pypi.example" },
            'restful.indexUrl: is "pypi.example", which is not a URL of http, https or file. Write it like "https://pypi.example/simple".',
        ],
        [
            { indexUrl: "https://me:secret@pypi.example/simple" },
            "restful.indexUrl: has a user or a password, which would be readable in the Job. Give PIP_INDEX_URL as a secret in environment.",
        ],
        [
            { indexUrl: "https://token@pypi.example/simple" },
            "restful.indexUrl: has a user or a password, which would be readable in the Job. Give PIP_INDEX_URL as a secret in environment.",
        ],
    ];
    for (const [restful, text] of wrong) {
        it(`refuses ${JSON.stringify(restful)}`, () => assert.deepEqual(problemsOf(restful), [text]));
    }

    it("refuses a server together with a command", () => {
        const text =
            "restful: is given, but the lead runs the command instead of the server. Remove restful or command.";
        assert.deepEqual(problemsOf({}, ["hostname"]), [text]);
        assert.deepEqual(problemsOf({ enabled: false }, ["hostname"]), []);
    });

    it("accepts only clients that a NetworkPolicy can admit", () => {
        const clientsOf = (clients: object[], networkPolicy = true) =>
            validateRestful(makeSpec({ command: [], networkPolicy, restful: { clients } })).map(
                ({ property, reason }) => `${property}: ${reason}`,
            );
        const ipBlock = { cidr: "10.0.0.0/8" };
        assert.deepEqual(clientsOf([{ podSelector: {}, namespaceSelector: {} }, { ipBlock }]), []);
        const cure = "give podSelector, namespaceSelector or both, or ipBlock alone.";
        assert.deepEqual(clientsOf([{}, { ipBlock, podSelector: {} }, { pod: {} }]), [
            `restful.clients[0]: has nothing; ${cure}`,
            `restful.clients[1]: has ipBlock and podSelector; ${cure}`,
            `restful.clients[2]: has pod; ${cure}`,
        ]);
        assert.deepEqual(clientsOf([{ ipBlock }], false), [
            "restful.clients: are given, but without networkPolicy every client reaches the port. Set networkPolicy: true, or remove them.",
        ]);
    });
});

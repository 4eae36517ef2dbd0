import assert from "node:assert/strict";

import { BRIEFLY, connect } from "../../../../provider/kube/client";
import { ifThere, isTransient, sentence } from "../../../../provider/kube/failure";
import { against, type KINDS } from "../../support/hostileProxy";

const read = (kind: keyof typeof KINDS) =>
    against(kind, (kubeconfig) => ifThere(connect({ kubeconfig }, BRIEFLY).getService("hpc", "lead")));

describe("What answers in place of the API server", () => {
    for (const kind of ["answers", "503 once", "429 once"] as const) {
        it(`is overcome: ${kind}`, async () => assert.equal((await read(kind))?.metadata?.uid, "service-uid"));
    }

    const LOGIN =
        /with a web page, so a proxy or a login has answered, not the API server\. Log in there, or check the server/;
    const PROXY =
        /came without Kubernetes' Status for the object, so a proxy has answered, or another API\. Check the server/;
    const failures: [kind: keyof typeof KINDS, words: RegExp, isTransient: boolean][] = [
        ["a page with 200", LOGIN, false],
        ["a redirection to a login", LOGIN, false],
        ["a page with 401", LOGIN, false],
        ["a page with 403", LOGIN, false],
        ["a page with 404", PROXY, false],
        ["a text with 404", PROXY, false],
        ["a page with 502", LOGIN, true],
        ["half of an answer", /JSON/, false],
        ["a connection that is cut in an answer", /^terminated: other side closed$/, true],
        ["no answer and an end", /^fetch failed: other side closed$/, true],
    ];
    for (const [kind, words, mayPass] of failures) {
        it(`is no object and no missing object: ${kind}`, async () => {
            await assert.rejects(read(kind), (error: Error) => {
                assert.match(sentence(error), words);
                assert.equal(isTransient(error), mayPass);
                return true;
            });
        });
    }
});

import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { services } from "../../../../../components/features/services";
import { Network } from "../../../../../components/features/network/kind";
import { makeSpec, problemsOf } from "../../../support/spec";

const problems = (args: Partial<PlainArgs>) => problemsOf(services, makeSpec(args));

describe("the rules of services", () => {
    const db = { name: "db", image: "registry.example/mongo:8", ports: [27017] };

    it("accept services with different names and ports", () => {
        assert.deepEqual(problems({ services: [db, { ...db, name: "web", ports: [80] }] }), []);
    });

    const wrong: [string, Partial<PlainArgs>, string][] = [
        [
            "a service without ports",
            { services: [{ ...db, ports: [] }] },
            "services[0].ports: is empty; give the ports on which the program listens.",
        ],
        ["port 0", { services: [{ ...db, ports: [0] }] }, "services[0].ports: has 0; ports go from 1 to 65535."],
        [
            "a port of two services",
            { services: [db, { ...db, name: "web" }] },
            "services[1].ports: has 27017, which is already in use: all services share one pod. Change one of them.",
        ],
        [
            "a name of two services",
            { services: [db, { ...db, ports: [80] }] },
            'services[1].name: is "db", which is already the name of another container. Change one of them.',
        ],
        [
            "a service with an empty image",
            { services: [{ ...db, image: "" }] },
            'services[0].image: is ""; give an image.',
        ],
        [
            'services with the network "hosts"',
            { services: [db], network: Network.Hosts },
            'services: are found by DNS, but network "hosts" is without DNS. Use another network, or a Deployment of your own.',
        ],
    ];
    for (const [what, args, text] of wrong) {
        it(`refuse ${what}`, () => assert.deepEqual(problems(args), [text]));
    }
});

import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { services } from "../../../../../components/features/services";
import { Network } from "../../../../../components/parts/network";
import { makeSpec, problemsOf } from "../../../support/spec";

const problems = (args: Partial<PlainArgs>) => problemsOf(services, makeSpec(args));

describe("the rules of services", () => {
    const db = { name: "db", image: "registry.example/mongo:8", ports: [27017] };

    it("accepts what can work", () => {
        assert.deepEqual(problems({ services: [db, { ...db, name: "web", ports: [80] }] }), []);
    });

    const wrong: [Partial<PlainArgs>, string][] = [
        [{ services: [{ ...db, ports: [] }] }, "services[0].ports: is empty; give the ports that it listens on."],
        [{ services: [{ ...db, ports: [0] }] }, "services[0].ports: has 0; ports go from 1 to 65535."],
        [
            { services: [db, { ...db, name: "web" }] },
            "services[1].ports: has 27017, which is taken already: all services share one pod. Change one of them.",
        ],
        [
            { services: [db, { ...db, ports: [80] }] },
            'services[1].name: is "db", which another one has. Change one of them.',
        ],
        [{ services: [{ ...db, image: "" }] }, "services[0].image: is missing; give an image."],
        [
            { services: [db], network: Network.Hosts },
            'services: are found by DNS, which network "hosts" does without. Use another network, or a Deployment of your own.',
        ],
    ];
    for (const [args, text] of wrong) {
        it(`says ${text}`, () => assert.deepEqual(problems(args), [text]));
    }
});

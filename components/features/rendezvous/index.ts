import type { Input } from "@pulumi/pulumi";

import { rendezvousScript } from "../../../provider/contract/scriptText";
import { portWord, type Rendezvous, type RendezvousArgs } from "./rendezvous";
import { validatePort } from "../../rules/port";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";

export interface RendezvousArguments {
    /**
     * Tell the tasks of the command how they find each other, for PyTorch and programs that read the same variables
     * (MASTER_ADDR, RANK and others). `{}` is enough. A FluxJob has this argument too.
     * @default none
     */
    rendezvous?: Input<RendezvousArgs>;
}

export interface Decided {
    readonly rendezvous?: Rendezvous;
}

export const rendezvous: Feature<RendezvousArguments, Decided> = {
    decide: ({ rendezvous: given }) => ({ rendezvous: given }),
    problems: validateRendezvous,
    ...when(({ rendezvous: given }) => given, {
        files: () => ({ "rendezvous.sh": rendezvousScript() }),
        parameters: (given) => ({ rendezvous: portWord(given) }),
    }),
};

function validateRendezvous({ launcher, mode, rendezvous: given }: MiniClusterSpec): Problem[] {
    if (given === undefined) {
        return [];
    }
    if (mode === "persistent" || launcher) {
        const why = launcher ? "with launcher the command starts the tasks" : "there is no command";
        return [{ property: "rendezvous", reason: `is given, but ${why}. Remove it, or give it to a FluxJob.` }];
    }
    return given.port === undefined ? [] : validatePort("rendezvous.port", given.port);
}

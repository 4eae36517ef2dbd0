import type { CommandDefinition } from "../definition";
import { attach } from "./attach";
import { cancel } from "./cancel";
import { complete } from "./complete";
import { completion } from "./completion";
import { cp } from "./cp";
import { doctor } from "./doctor";
import { drain } from "./drain";
import { explain } from "./explain";
import { forward } from "./forward";
import { jobs } from "./jobs";
import { list } from "./list";
import { logs } from "./logs";
import { plan } from "./plan";
import { report } from "./report";
import { shell } from "./shell";
import { status } from "./status";
import { submit } from "./submit";
import { wake } from "./wake";

/** All commands, in the order of help. */
export const COMMANDS: readonly CommandDefinition[] = [
    list,
    status,
    doctor,
    logs,
    shell,
    cp,
    wake,
    drain,
    forward,
    report,
    submit,
    jobs,
    attach,
    cancel,
    explain,
    plan,
    completion,
    complete,
];

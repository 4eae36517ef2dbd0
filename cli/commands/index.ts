import type { CommandDefinition } from "../definition/command";
import { attach } from "../attach/definition";
import { cancel } from "../cancel/definition";
import { complete } from "../complete/definition";
import { completion } from "../completion/definition";
import { cp } from "../cp/definition";
import { doctor } from "../doctor/definition";
import { drain } from "../drain/definition";
import { explain } from "../explain/definition";
import { forward } from "../forward/definition";
import { jobs } from "../jobs/definition";
import { list } from "../list/definition";
import { logs } from "../logs/definition";
import { plan } from "../plan/definition";
import { render } from "../render/definition";
import { report } from "../report/definition";
import { results } from "../results/definition";
import { shell } from "../shell/definition";
import { status } from "../status/definition";
import { submit } from "../submit/definition";
import { wake } from "../wake/definition";

/** All commands, in the order of help. */
export const COMMANDS: readonly CommandDefinition[] = [
    list,
    status,
    doctor,
    logs,
    shell,
    cp,
    results,
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
    render,
    completion,
    complete,
];

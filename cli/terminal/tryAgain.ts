import { sentence } from "../../provider/kubernetes/failures/failure";
import { waitReport } from "./terminal";

/** Tells errors after which a command tries again: on a terminal each one, elsewhere if they last. */
export function tryAgain(server: string): (error: unknown) => void {
    let report: ReturnType<typeof waitReport> | undefined;
    return (error) => {
        report ??= waitReport(server);
        report(`${sentence(error)}; trying again`);
    };
}

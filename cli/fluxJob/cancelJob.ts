import { sentence } from "../../provider/kube/failure";
import { askQueue } from "./askQueue";
import type { Target } from "../target/target";
import { say } from "../terminal/terminal";

/** Cancels a job while its output is followed, and says if that fails. */
export function cancelJob(target: Target, jobId: string): void {
    void askQueue(target, (queue) => queue.cancel([jobId]))
        .then((errors) => errors.join("; "), sentence)
        .then((why) => why === "" || say(`${jobId} can't be cancelled: ${why}`));
}

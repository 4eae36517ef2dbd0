import { numberOf } from "./elements";
import { END_SECONDS } from "./protocol";

/** Watches the number of cancelled elements that are left. It fails if none of them has ended for a while. */
export function remainder(): (left: number) => void {
    let fewest = Infinity;
    let since = Date.now();
    return (left) => {
        if (left < fewest) {
            fewest = left;
            since = Date.now();
        } else if (Date.now() - since >= END_SECONDS * 1000) {
            throw new Error(
                `${numberOf(left)} cancelled elements have not ended, and none has ended for ${END_SECONDS} s`,
            );
        }
    };
}

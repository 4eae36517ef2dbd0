import { JOB_IN_WORDS } from "../definition/clusterWord";
import { UsageError } from "../definition/arguments";

/** The forms in which Flux prints the id of a job: `flux job id --to=FORM`. */
const FORMS: readonly RegExp[] = [
    /^\d+$/,
    /^[fƒ][1-9A-HJ-NP-Za-km-z]+$/,
    /^0x[0-9a-f]+$/i,
    /^(job\.)?[0-9a-f]{4}(\.[0-9a-f]{4}){3}$/i,
    JOB_IN_WORDS,
    /^\p{Extended_Pictographic}+$/u,
];

/** The id of a job in a form that commands of Flux take in any locale. */
export function jobIdOf(word: string): string {
    if (isRank(word) || !FORMS.some((form) => form.test(word))) {
        throw new UsageError(
            `"${word}" is no id of a job; it must be one that Flux prints, such as ƒ26Zqx, f26Zqx or 1234567890123. ` +
                "The command jobs lists them.",
        );
    }
    return word.replace(/^ƒ/, "f");
}

/** Flux' first id is as large, because it begins with the milliseconds of the instance in front of 24 other bits. */
const FIRST_ID = 2 ** 24;

/** True if a word is a number that no job has as its id, such as a rank. */
export function isRank(word: string): boolean {
    return /^\d+$/.test(word) && Number(word) < FIRST_ID;
}

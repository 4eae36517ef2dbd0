import type { RunOptions } from "../../provider/contract/runOptions";
import type { ArraySize } from "../../provider/flux/job";
import type { Problem } from "../rules/problem";
import { validateWord } from "../rules/command";

/** Most elements of an array. */
const MOST_ELEMENTS = 10_000;

/** Tags that are replaced in the command, the variables and the paths of each element. */
const INDEX_TAG = "{{index}}";
const VALUE_TAG = "{{value}}";

/** Largest size in bytes of all values: they are in the state, and travel to the lead at once. */
const LARGEST = 1024 * 1024;

/** A tag that gives each element its own file. */
const OWN_FILE = /\{\{(index|value|id|jobid)\b/;

/** The arguments that the rules of an array concern. */
interface ArrayJob extends RunOptions {
    readonly array?: ArraySize;
    readonly command: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
}

/** Refuses arrays without elements, with too many, and tags and files that can't work for each element. */
export function validateArray(job: ArrayJob): Problem[] {
    const { array } = job;
    if (array === undefined) {
        return [];
    }
    return [...validateSize(array), ...validateValues(array), ...validateTags(job), ...validateFiles(job)];
}

function validateSize({ count, values }: ArraySize): Problem[] {
    if (count === undefined && values === undefined) {
        return [{ property: "array", reason: "has neither count nor values. Give one of them." }];
    }
    if (count !== undefined && values !== undefined) {
        const reason = `is ${count}, but values is given too, whose length is the number of elements. Remove one of them.`;
        return [{ property: "array.count", reason }];
    }
    return count === undefined ? validateLength(values) : validateCount(count);
}

const LIMIT = `an array has up to ${MOST_ELEMENTS} elements. Use several arrays.`;

function validateCount(count: number): Problem[] {
    const reason = count < 1 ? `is ${count}; it must be at least 1.` : `is ${count}; ${LIMIT}`;
    return count < 1 || count > MOST_ELEMENTS ? [{ property: "array.count", reason }] : [];
}

function validateLength({ length }: readonly string[] = []): Problem[] {
    const reason = length === 0 ? "is empty; give a value for each element." : `has ${length} values; ${LIMIT}`;
    return length === 0 || length > MOST_ELEMENTS ? [{ property: "array.values", reason }] : [];
}

function validateValues({ values = [] }: ArraySize): Problem[] {
    const bytes = values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
    const reason = `have ${bytes} bytes; the limit is ${LARGEST}. Put them into files of a volume, and give their names.`;
    return [
        ...values.flatMap((value, index) => validateWord(`array.values[${index}]`, value)),
        ...(bytes > LARGEST ? [{ property: "array.values", reason }] : []),
    ];
}

/** Without values, `{{value}}` would reach the program as it is. */
function validateTags({ array, command, environment, errorFile, inputFile, outputFile }: ArrayJob): Problem[] {
    if (array?.values !== undefined) {
        return [];
    }
    const texts = {
        ...Object.fromEntries(command.map((word, index) => [`command[${index}]`, word])),
        ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [`environment.${name}`, value])),
        errorFile,
        inputFile,
        outputFile,
    };
    const reason = `has ${VALUE_TAG}, but array has no values. Use ${INDEX_TAG}, or give array.values.`;
    const wrong = Object.entries(texts).filter(([, text]) => text?.includes(VALUE_TAG));
    return wrong.map(([property]) => ({ property, reason }));
}

function validateFiles({ errorFile, outputFile, shellOptions = {} }: ArrayJob): Problem[] {
    const isShared = (path: string | undefined) => path !== undefined && !OWN_FILE.test(path);
    const reason = (path = "") =>
        `is "${path}", which each element of array would replace. Put ${INDEX_TAG} into the path, or set ` +
        'shellOptions["output.mode"] to "append".';
    return shellOptions["output.mode"] === "append"
        ? []
        : Object.entries({ outputFile, errorFile })
              .filter(([, path]) => isShared(path))
              .map(([property, path]) => ({ property, reason: reason(path) }));
}

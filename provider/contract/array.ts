/** Most elements of an array. */
export const MOST_ELEMENTS = 10_000;

/** Most elements of an array whose ids and logs are recorded, and on which other jobs can depend in Flux. */
export const MOST_LISTED = 100;

/** Most failed elements of an array that are recorded one by one, and the bytes of each log. */
export const MOST_FAILURES = 10;
export const FAILURE_BYTES = 1024;

/** Tags that are replaced in the command, the variables and the paths of each element. */
export const INDEX_TAG = "{{index}}";
export const VALUE_TAG = "{{value}}";

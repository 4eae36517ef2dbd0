/** The value of an unknown property in `check` and `diff` at preview. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

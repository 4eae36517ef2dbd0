/** Version of the layout of the outputs. */
export const SCHEMA_VERSION = 1;

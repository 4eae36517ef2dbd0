import {
    ARCHIVE_DIR,
    CONFIG_DIR,
    CURVE_DIR,
    MADE_CURVE_DIR,
    RESTFUL_DIR,
    RESTFUL_TLS_DIR,
    RUN_DIR,
    SCRIPTS_DIR,
    STATE_DIR,
    TERMINATION_LOG,
} from "../../provider/contract/paths";

/** Paths in the Flux container that every cluster uses itself. */
export const OWN_PATHS = [
    ARCHIVE_DIR,
    CONFIG_DIR,
    SCRIPTS_DIR,
    CURVE_DIR,
    MADE_CURVE_DIR,
    RESTFUL_DIR,
    RESTFUL_TLS_DIR,
    RUN_DIR,
    STATE_DIR,
    "/dev/shm",
    TERMINATION_LOG,
];

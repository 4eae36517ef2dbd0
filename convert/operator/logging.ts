import { type Fields, needless, type Reader, type Values } from "../reader";

/** Reads the operator's `spec.logging`. */
export function readLogging(reader: Reader, logging: Fields, args: Values): void {
    const broker: Values = args.broker ?? {};
    reader.read(logging, {
        quiet: (value) => (broker.logLevel = value ? 0 : undefined),
        strict: needless,
        timed: reader.without(
            "spec.logging.timed",
            "has no counterpart; see the output timings, or write time before the command.",
        ),
        debug: reader.without("spec.logging.debug", "has no counterpart; see broker.logLevel."),
        zeromq: (value) => {
            if (value) {
                broker.attributes = { ...broker.attributes, "tbon.zmqdebug": "1" };
            }
        },
    });
    args.broker = broker;
}

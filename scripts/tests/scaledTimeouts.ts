import { Runnable } from "mocha";

import { limitFactor } from "./limits";

// Mocha asks a test or hook for its timeout when it starts it. So each timeout of a test, suite or hook scales with the
// machine, wherever it was set.
const timeout = Runnable.prototype.timeout as (milliseconds?: number | string) => unknown;

Runnable.prototype.timeout = function scaled(this: Mocha.Runnable, ...set: [(number | string)?]): never {
    const answer = timeout.apply(this, set);
    return (set.length > 0 ? answer : Math.round(Number(answer) * limitFactor())) as never;
};

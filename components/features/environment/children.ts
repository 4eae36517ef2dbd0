import type { MakeChildren } from "../../children/children";
import { secretKey } from "../../parts/variables";

/** The secret variables. */
export const environmentChildren = ((_name, _family, { environment }) => ({
    secrets: environment.apply((of) =>
        Object.fromEntries(Object.entries(of).map(([variable, value]) => [secretKey(variable), value])),
    ),
})) satisfies MakeChildren;

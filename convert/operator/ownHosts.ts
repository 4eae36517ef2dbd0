import { namesOf } from "../../provider/contract/names";
import type { Fields, Reader } from "../reader";
import { textsIn } from "../texts";

/** The operator's headless Service until September 2025. Since then it has the name of the cluster by default. */
const FORMER_DEFAULT = "flux-service";

/** Fields without names of hosts, and the one that gives the name. */
const OTHERS = ["headlessName", "image", "jobLabels", "pod"];

/** Warns of every text in a resource that names a host which only the Flux Operator's pods have. */
export function warnOfOwnHosts(reader: Reader, spec: Fields, name: string): void {
    const services = escaped(`${name}-services`);
    const given = spec.network?.headlessName || FORMER_DEFAULT;
    const headless = [...new Set([FORMER_DEFAULT, given])].filter((service) => service !== name).map(escaped);
    const patterns: readonly (readonly [pattern: RegExp, cure: string])[] = [
        [
            new RegExp(`(?<![\\w-])${services}\\.(?:${[...headless, escaped(name)].join("|")})(?![\\w-])`),
            `the services have the name ${namesOf(name).services} alone, before the namespace`,
        ],
        ...headless.map((service): readonly [RegExp, string] => [
            new RegExp(`(?<=[\\w})]\\.)${service}(?![\\w-])|(?<![\\w.-])${service}(?=\\.[\\w-]+\\.svc)`),
            `write ${name}, the name of the headless Service here`,
        ]),
    ];
    for (const [path, text] of textsIn("spec", spec, OTHERS)) {
        const own = patterns.find(([pattern]) => pattern.test(text));
        if (own !== undefined) {
            const [pattern, cure] = own;
            reader.warn(path, `names the host ${pattern.exec(text)?.[0]}, which doesn't exist here; ${cure}.`);
        }
    }
}

function escaped(text: string): string {
    return text.replaceAll(/[^\w-]/g, "\\$&");
}

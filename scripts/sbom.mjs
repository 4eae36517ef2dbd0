// The software bill of materials, in CycloneDX: the packages that files of this package contain, and those that npm installs
// beside it.
import { Enums, Models, Serialize, Spec, SPDX } from "@cyclonedx/cyclonedx-library";

/** The name of the file in the package and in the plugin's archives. Scanners look for names that end like this. */
export const SBOM_FILE = "sbom.cdx.json";

/** Properties of a component that CycloneDX has no field for. */
const CONTAINED = "flux-minicluster:contained in";
const INSTALLED = "flux-minicluster:installed by npm";

/**
 * The text of the bill. `bundles` has the packages (licenses.mjs) of each file that contains some. It has neither a time nor
 * a serial number, so that the same sources make the same text.
 */
export function sbom({ dependencies = {}, peerDependencies = {}, ...manifest }, bundles) {
    const root = component(manifest);
    const contained = Object.entries(bundles).flatMap(([file, packages]) => packages.map((of) => ({ ...of, file })));
    const installed = Object.entries({ ...dependencies, ...peerDependencies });
    const components = [
        ...Map.groupBy(contained, ({ name, version }) => `${name}@${version}`)
            .values()
            .map(bundled),
        ...installed.map(([name, range]) => component({ name, properties: { [INSTALLED]: range } })),
    ];
    for (const { bomRef } of components) {
        root.dependencies.add(bomRef);
    }
    const bom = new Models.Bom({
        metadata: new Models.Metadata({ component: root }),
        components: new Models.ComponentRepository(components),
    });
    const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
    return `${serializer.serialize(bom, { sortLists: true, space: 1 })}\n`;
}

/** The bundles that a bill names. */
export function bundlesIn(text) {
    const bundles = {};
    for (const { group, licenses, name, properties, version } of JSON.parse(text).components) {
        const files = properties.find((property) => property.name === CONTAINED)?.value.split(", ") ?? [];
        const [{ expression, license }] = licenses ?? [{}];
        const found = {
            name: group === undefined ? name : `${group}/${name}`,
            version,
            license: expression ?? license?.id,
        };
        for (const file of files) {
            bundles[file] = [...(bundles[file] ?? []), found];
        }
    }
    return bundles;
}

/** A package that is in one file or in several. */
function bundled(copies) {
    const files = copies.map(({ file }) => file);
    return component({ ...copies[0], properties: { [CONTAINED]: files.sort().join(", ") } });
}

function component({ license, name, properties = {}, version }) {
    const [group, short] = name.startsWith("@") ? name.split("/") : [undefined, name];
    const purl = `pkg:npm/${name.replace("@", "%40")}${version === undefined ? "" : `@${version}`}`;
    const made = new Models.Component(Enums.ComponentType.Library, short, {
        bomRef: purl,
        group,
        purl,
        version,
    });
    if (license !== undefined) {
        made.licenses.add(licenseOf(license));
    }
    for (const [key, value] of Object.entries(properties)) {
        made.properties.add(new Models.Property(key, value));
    }
    return made;
}

const licenseOf = (text) =>
    SPDX.isSupportedSpdxId(text) ? new Models.SpdxLicense(text) : new Models.LicenseExpression(text);

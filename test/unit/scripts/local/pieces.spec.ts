import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { kubeRouter } from "../../../../scripts/local/kubeRouter";
import { defaultKubernetes, kubernetesVersions, otherKubernetes } from "../../../../scripts/local/kubernetesVersions";
import { goDir, root } from "../../../../scripts/local/paths";
import { oldestPulumi, oldestPulumiVersion, pulumiKubernetesByPost } from "../../../../scripts/local/otherVersions";
import * as pieces from "../../../../scripts/local/pieces";
import { requirements as pythonRequirements } from "../../../../scripts/local/python";

describe("the pieces that are built", () => {
    it("have the same main program for each version of Kubernetes", () => {
        const main = (module: string) => readFileSync(join(goDir, module, "kubernetes", "main.go"), "utf8");
        for (const minor of otherKubernetes) {
            assert.equal(main(pieces.kubernetesPiece(minor).module), main("."));
        }
    });

    it("have a cache key that changes with the compiler, the flags and the module", () => {
        const { coredns } = pieces;
        const key = pieces.cacheKey(coredns, "go1.26.8");
        assert.equal(pieces.cacheKey(coredns, "go1.26.8"), key);
        assert.notEqual(pieces.cacheKey(coredns, "go1.26.9"), key);
        assert.notEqual(pieces.cacheKey({ ...coredns, tags: "netgo" }, "go1.26.8"), key);
        const { module, packages } = pieces.kubernetesPiece("1.31");
        assert.notEqual(pieces.cacheKey({ ...coredns, module, packages }, "go1.26.8"), key);
        assert.notEqual(pieces.cacheKey({ ...coredns, packages: ["./pause"] }, "go1.26.8"), key);
        assert.notEqual(pieces.cacheKey({ ...coredns, edited: [{ module: "x", edits: [] }] }, "go1.26.8"), key);
        assert.notEqual(pieces.cacheKey({ ...coredns, files: [{ module: "x", path: "y" }] }, "go1.26.8"), key);
    });

    it("never change go.mod and go.sum", () => {
        assert(pieces.buildArguments(pieces.pulumi).includes("-mod=readonly"));
    });

    for (const [minor, version] of Object.entries(kubernetesVersions)) {
        it(`report the version of Kubernetes ${minor} that is in its go.mod`, () => {
            const piece = pieces.kubernetesPiece(minor);
            const text = goMod(piece.module);
            assert(text.includes(`k8s.io/kubernetes v${version}\n`));
            assert(pieces.buildArguments(piece).join(" ").includes(`gitVersion=v${version}`));
        });
    }

    it("have the kubectl of the default Kubernetes", () => {
        const { packages } = pieces.kubectl;
        assert.deepEqual(pieces.programs(pieces.kubectl), ["kubectl"]);
        assert(goMod(pieces.kubectl.module).includes(`\n\t${packages.join()}\n`));
        const version = kubernetesVersions[defaultKubernetes] ?? "none";
        assert(pieces.buildArguments(pieces.kubectl).join(" ").includes(`gitVersion=v${version} `));
    });

    it("are built together if they belong to one module, with the same programs", () => {
        const both = pieces.merge([pieces.containerd, pieces.pulumiKubernetes, pieces.kwok]);
        const words = pieces.buildArguments(both);
        for (const piece of [pieces.containerd, pieces.pulumiKubernetes, pieces.kwok]) {
            assert.deepEqual(
                piece.packages.filter((name) => !words.includes(name)),
                [],
            );
        }
        assert(words.includes(pieces.containerd.tags ?? ""));
        assert.match(words.join(" "), /version\.Version=4/);
        assert.deepEqual(both.edited, pieces.pulumiKubernetes.edited);
        assert.deepEqual(pieces.programs(both).slice(0, 1).concat(pieces.programs(both).slice(-2)), [
            "containerd",
            "pulumi-resource-kubernetes",
            "kwok",
        ]);
        assert.throws(() => pieces.merge([pieces.pulumi, pieces.pulumiLanguageNodejs]), {
            message: "Only pieces of one Go module can be built together.",
        });
    });

    it("refuse a version of Kubernetes that can't be built", () => {
        assert.throws(() => pieces.kubernetesPiece("1.20"), {
            message: "K8S_VERSION=1.20 cannot be built here; it must be one of 1.37, 1.36, 1.31.",
        });
    });

    it("have the versions of the npm packages", () => {
        const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
            devDependencies: Record<string, string>;
        };
        assert.equal(devDependencies["@pulumi/pulumi"], pieces.pulumiVersion);
        assert.equal(devDependencies["@pulumi/kubernetes"], pieces.kubernetesPluginVersion);
        const python = readFileSync(pythonRequirements, "utf8");
        assert(python.includes(`\npulumi-kubernetes==${devDependencies["@pulumi/kubernetes"]} `));
    });

    it("have the version of Pulumi in its module", () => {
        const version = pieces.pulumiVersion;
        assert.equal(requirements("pulumi").get("github.com/pulumi/pulumi/pkg/v3"), `v${version}`);
        assert(pieces.buildArguments(pieces.pulumi).join(" ").includes(`Version=v${version}`));
    });

    it("have one version of each dependency, so that it is compiled once", () => {
        const shared = requirements(".");
        // The last version that contains the language hosts, and the version that the host of YAML needs.
        const exceptions = ["github.com/pulumi/pulumi/pkg/v3", "github.com/pulumi/pulumi/sdk/v3"];
        for (const piece of [pieces.pulumiLanguageNodejs, pieces.pulumiLanguageYaml, kubeRouter]) {
            for (const [module, version] of requirements(piece.module)) {
                if (shared.has(module) && !exceptions.includes(module)) {
                    assert.equal(version, shared.get(module), `${piece.name}: ${module}`);
                }
            }
        }
    });

    it("report the oldest version of Pulumi that is in its go.mod", () => {
        assert(goMod(oldestPulumi.module).includes(`github.com/pulumi/pulumi/pkg/v3 v${oldestPulumiVersion}`));
        assert(pieces.buildArguments(oldestPulumi).join(" ").includes(`Version=v${oldestPulumiVersion}`));
    });

    it("have two builds of the Kubernetes plugin, of which one has two edits more and another name", () => {
        const edits = (piece: pieces.Piece) => (piece.edited ?? []).flatMap((edited) => edited.edits);
        const [plain, byPost] = [edits(pieces.pulumiKubernetes), edits(pulumiKubernetesByPost)];
        assert.deepEqual(byPost.slice(0, plain.length), plain);
        assert.deepEqual(
            byPost.slice(plain.length).map(({ file }) => file),
            ["pkg/await/await.go", "pkg/await/await.go"],
        );
        assert.match(pieces.buildArguments(pulumiKubernetesByPost).join(" "), /=4\.25\.0\+creates-by-post /);
    });

    it("have the flags with which packages are compiled while npm works", () => {
        const prefetch = readFileSync(join(goDir, "..", "prefetch.sh"), "utf8");
        const common = pieces.buildArguments(pieces.pause).find((word) => word.startsWith("-gcflags=all="));
        assert(prefetch.includes(`"${common}" -trimpath -buildvcs=false`));
    });

    it("take no module from a local folder", () => {
        for (const module of new Set(allPieces.map((piece) => piece.module))) {
            assert.doesNotMatch(goMod(module), /=> [./]/);
        }
    });
});

const allPieces = [
    ...Object.keys(kubernetesVersions).map(pieces.kubernetesPiece),
    pieces.kubectl,
    pieces.pause,
    pieces.coredns,
    pieces.containerd,
    pieces.pulumi,
    pieces.pulumiLanguageNodejs,
    pieces.pulumiLanguageGo,
    pieces.pulumiLanguagePython,
    pieces.pulumiLanguageYaml,
    pieces.pulumiKubernetes,
    pieces.kwok,
    kubeRouter,
    pieces.sdkgen,
    oldestPulumi,
];

const goMod = (module: string): string => readFileSync(join(goDir, module, "go.mod"), "utf8");

const requirements = (module: string): Map<string, string> =>
    new Map([...goMod(module).matchAll(/^\t(\S+) (v\S+)/gm)].map(([, name = "", version = ""]) => [name, version]));

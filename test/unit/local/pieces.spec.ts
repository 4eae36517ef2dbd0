import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { goDir } from "../../../local/paths";
import * as pieces from "../../../local/pieces";

describe("the pieces that are built", () => {
    it("have a key that changes with the compiler, the flags and the module", () => {
        const { coredns } = pieces;
        const key = pieces.cacheKey(coredns, "go1.26.8");
        assert.equal(pieces.cacheKey(coredns, "go1.26.8"), key);
        assert.notEqual(pieces.cacheKey(coredns, "go1.26.9"), key);
        assert.notEqual(pieces.cacheKey({ ...coredns, tags: "netgo" }, "go1.26.8"), key);
        assert.notEqual(pieces.cacheKey({ ...coredns, module: "pause" }, "go1.26.8"), key);
    });

    it("never change what go.mod and go.sum say", () => {
        assert(pieces.buildArguments(pieces.pulumi).includes("-mod=readonly"));
    });

    for (const [minor, version] of Object.entries(pieces.kubernetesVersions)) {
        it(`say the version of Kubernetes ${minor} as its go.mod does`, () => {
            const piece = pieces.kubernetesPiece(minor);
            const text = readFileSync(join(goDir, piece.module, piece.modfile ?? "go.mod"), "utf8");
            assert(text.includes(`k8s.io/kubernetes v${version}\n`));
            assert(pieces.buildArguments(piece).join(" ").includes(`gitVersion=v${version}`));
        });
    }

    it("refuse a Kubernetes that cannot be built", () => {
        assert.throws(() => pieces.kubernetesPiece("1.20"), { message: "K8S_VERSION=1.20 cannot be built here; it must be one of 1.36, 1.35." });
    });

    it("have the versions of the npm packages", () => {
        const { devDependencies } = JSON.parse(readFileSync(join(goDir, "..", "..", "package.json"), "utf8")) as { devDependencies: Record<string, string> };
        assert.equal(devDependencies["@pulumi/kubernetes"], pieces.kubernetesPluginVersion);
        assert(pieces.buildArguments(pieces.pulumi).join(" ").includes(`Version=v${devDependencies["@pulumi/pulumi"]}`));
    });

    it("take no module from this machine", () => {
        for (const module of readdirSync(goDir)) {
            for (const file of readdirSync(join(goDir, module)).filter((name) => name.endsWith(".mod"))) {
                assert.doesNotMatch(readFileSync(join(goDir, module, file), "utf8"), /=> [./]/);
            }
        }
    });
});

import tseslint from "typescript-eslint";

const client = {
    group: ["@kubernetes/client-node"],
    allowTypeImports: true,
    message: "components/ describes and never talks to an API server; types are fine.",
};

const loadedClient = {
    group: ["@kubernetes/client-node"],
    allowTypeImports: true,
    message: "Import it from provider/kube/clientNode, of which the build makes one file that loads fast.",
};

const typedExports = ["error", { allowArgumentsExplicitlyTypedAsAny: true }];

/** What holds everywhere. */
const rules = {
    complexity: ["error", 10],
    curly: "error",
    eqeqeq: "error",
    "max-depth": ["error", 3],
    "max-params": ["error", 4],
    "no-else-return": "error",
    "no-var": "error",
    "object-shorthand": "error",
    "prefer-const": "error",
    "@typescript-eslint/await-thenable": "error",
    "@typescript-eslint/consistent-type-imports": [
        "error",
        { disallowTypeAnnotations: false, fixStyle: "inline-type-imports" },
    ],
    // Kubernetes' objects and the dynamic provider's values have no types worth the name.
    "@typescript-eslint/no-explicit-any": "off",
    "@typescript-eslint/no-floating-promises": "error",
    "@typescript-eslint/no-misused-promises": "error",
    "@typescript-eslint/no-require-imports": "off",
    "@typescript-eslint/no-unnecessary-type-assertion": "error",
    "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    "@typescript-eslint/only-throw-error": "error",
    "@typescript-eslint/switch-exhaustiveness-check": "error",
};

export default tseslint.config(
    {
        ignores: [
            "**/node_modules/", "dist/", "local/state/", "**/*.cjs", "**/*.mjs", "docs/", "examples/*/bin/", "**/*.d.ts",
        ],
    },
    ...tseslint.configs.recommended,
    {
        files: ["**/*.ts"],
        languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
        rules,
    },
    {
        files: ["components/**/*.ts"],
        rules: {
            "@typescript-eslint/no-restricted-imports": [
                "error",
                {
                    patterns: [
                        client,
                        {
                            regex: "/provider/(?!(?:curveKey|fluxSubmission|fluxTicket|indexedJob|jobStatus|keygenPod)/resource$)",
                            allowTypeImports: true,
                            message: "components/ only knows the resources of provider/, not how they work.",
                        },
                    ],
                },
            ],
        },
    },
    {
        files: ["provider/**/*.ts"],
        rules: {
            "@typescript-eslint/no-restricted-imports": [
                "error",
                {
                    patterns: [
                        loadedClient,
                        {
                            regex: "/components/manifests/(?!(?:container|job|object)$)",
                            message: "provider/ does; manifests come to it as inputs, so that preview can show them.",
                        },
                        {
                            group: ["**/components/miniCluster", "**/components/children", "**/components/resolve"],
                            message: "provider/ knows nothing of the component.",
                        },
                    ],
                },
            ],
            "@typescript-eslint/explicit-module-boundary-types": typedExports,
        },
    },
    {
        files: ["cli/**/*.ts"],
        rules: { "@typescript-eslint/no-restricted-imports": ["error", { patterns: [loadedClient] }] },
    },
    {
        files: ["provider/kube/clientNode.ts"],
        rules: { "@typescript-eslint/no-restricted-imports": "off" },
    },
    {
        // The component's builders of children give whole Pulumi classes, whose names would say it twice.
        files: ["components/**/*.ts"],
        ignores: ["components/children.ts", "components/clusterAccess.ts", "components/family.ts", "components/keyChildren.ts", "components/userCommands.ts"],
        rules: { "@typescript-eslint/explicit-module-boundary-types": typedExports },
    },
    {
        // A builder of something takes what it is made of.
        files: ["components/children.ts", "provider/engine/log.ts", "provider/jobStatus/*.ts", "provider/keygenPod/wait.ts", "provider/kube/watch.ts"],
        rules: { "max-params": ["error", 5] },
    },
    {
        files: ["test/**/*.ts"],
        rules: {
            "@typescript-eslint/no-non-null-assertion": "off",
            "max-params": ["error", 5],
        },
    },
    {
        // A fault matters in some places and passes by the others.
        files: ["test/model/**/*.ts"],
        rules: { "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }] },
    },
);

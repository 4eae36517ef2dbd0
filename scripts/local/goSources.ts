/** A dependency that is built from an edited copy of its sources. */
export interface EditedModule {
    readonly module: string;
    readonly edits: readonly Edit[];
}

/**
 * Replaces a text (`before`) that must occur in the file exactly once. Or removes the text from `from`, which must
 * occur exactly once, up to the next occurrence of `upTo`. Or removes the lines that begin with one of the texts in
 * `without`, each of which must match a line. Or gives the file other contents.
 */
export type Edit = { readonly file: string } & (
    | { readonly contents: string }
    | { readonly before: string; readonly after: string }
    | { readonly from: string; readonly upTo: string }
    | { readonly without: readonly string[] }
);

const notCompiled = (file: string, name: string): Edit => {
    const line = `\npackage ${name}\n`;
    return { file, before: line, after: `\n//go:build ignore\n${line}` };
};

const LOGS: readonly Edit[] = [
    notCompiled("operations/operations_aws.go", "operations"),
    notCompiled("operations/operations_gcp.go", "operations"),
    { file: "operations/resources.go", from: '\tcase "aws":', upTo: "\tdefault:" },
];

/** `azure` is the beginning of the line that imports Azure's driver. */
const statesWith = (azure: string): readonly Edit[] => [
    {
        file: "backend/diy/backend.go",
        without: [
            azure,
            '\t"gocloud.dev/blob/gcsblob"',
            '\t_ "gocloud.dev/blob/s3blob"',
            '\t"github.com/pulumi/pulumi/pkg/v3/authhelpers"',
        ],
    },
    { file: "backend/diy/backend.go", from: "\t// for gcp we want", upTo: "\tbucket, err := blobmux" },
];

const STATES = statesWith('\t"gocloud.dev/blob/azureblob"');

const COPIES: readonly Edit[] = [
    { file: "backend/diy/bucket.go", without: ["\tawss3 ", '\t"net/url"'] },
    { file: "backend/diy/bucket.go", from: "\t\tvar input *awss3", upTo: "\t\tif beforeCopy" },
    { file: "backend/diy/bucket.go", from: "// fixupS3CopySource rewrites", upTo: "func (b *wrappedBucket) Delete" },
];

const KEYS: readonly Edit[] = [
    {
        file: "secrets/cloud/manager.go",
        without: [
            '\t_ "gocloud.dev/secrets/awskms"',
            '\t_ "gocloud.dev/secrets/azurekeyvault"',
            '\t"gocloud.dev/secrets/gcpkms"',
            '\t"google.golang.org/api/',
            '\t"github.com/pulumi/pulumi/pkg/v3/authhelpers"',
        ],
    },
    { file: "secrets/cloud/manager.go", from: "\tcase gcpkms.Scheme:", upTo: "\tdefault:" },
];

const API_FILES = ["api", "describe", "describe_markdown", "fields", "list", "paginate", "pathmatch"];

/** `pulumi api` needs a library for OpenAPI, whose compilation takes 30 s of CPU. */
const API: readonly Edit[] = [
    ...[...API_FILES, "schema", "spec", "spec_fetch"].map((name) =>
        notCompiled(`cmd/pulumi/cloud/${name}.go`, "cloud"),
    ),
    { file: "cmd/pulumi/cloud/envelope.go", from: "// describedOp is", upTo: "// DryRunPlan is" },
    {
        file: "cmd/pulumi/pulumi.go",
        without: ['\t"github.com/pulumi/pulumi/pkg/v3/cmd/pulumi/cloud"', "\t\t\t\tcloud.NewAPICmd(),"],
    },
];

/** Removes support for states, keys and logs in AWS, Azure and Google Cloud, and the command `pulumi api`. */
export const withoutClouds: readonly Edit[] = [...STATES, ...COPIES, ...KEYS, ...API];

/** The same for the oldest version of Pulumi, whose sources differ. */
export const withoutCloudsInOldest: readonly Edit[] = [
    ...LOGS,
    ...statesWith('\t_ "gocloud.dev/blob/azureblob"'),
    ...KEYS,
];

/**
 * Pulumi's plugin for Kubernetes. Version 4.25.0 uses types of Kubernetes 0.33 and Pulumi 3.215: two edits let it compile
 * with the versions of the other programs. Otherwise 1100 packages of these programs are compiled again, in another
 * version. Its component resources (Chart, ConfigFile, ConfigGroup, Directory) are left out: they need the Go SDK.
 */
export const kubernetesPlugin: EditedModule = {
    module: "github.com/pulumi/pulumi-kubernetes/provider/v4",
    edits: [
        {
            file: "pkg/await/await.go",
            before: '"sigs.k8s.io/structured-merge-diff/v4/fieldpath"',
            after: '"sigs.k8s.io/structured-merge-diff/v6/fieldpath"',
        },
        {
            file: "pkg/gen/schema.go",
            before: "Provider: pschema.ResourceSpec{",
            after: "Provider: &pschema.ResourceSpec{",
        },
        notCompiled("pkg/provider/provider_construct.go", "provider"),
        {
            file: "pkg/provider/provider.go",
            without: ["\tproviderresource ", "\tresourceProviders map", "\t\tresourceProviders: "],
        },
        ...["fake", "keyring", "tool", "values"].map((name) => notCompiled(`pkg/helm/${name}.go`, "helm")),
    ],
};

/** A client for tests. Two packages of the servers import it for the tests of others, and no server calls it. */
const NO_FAKE = `package fake

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/testing"
)

type Clientset struct{ kubernetes.Interface }

func NewSimpleClientset(...runtime.Object) *Clientset { panic("not compiled") }

func NewClientset(...runtime.Object) *Clientset { panic("not compiled") }

func (*Clientset) Tracker() testing.ObjectTracker { panic("not compiled") }
`;

/**
 * Kubernetes' libraries without the client for tests, and without the methods of a generic type that each package which
 * imports informers compiles for each kind of object: the two took 120 of 860 s of CPU of the first build.
 */
export const leanKubernetes: readonly EditedModule[] = [
    {
        module: "k8s.io/client-go",
        edits: [
            { file: "kubernetes/fake/clientset_generated.go", contents: NO_FAKE },
            {
                file: "tools/cache/controller.go",
                before: "func (d DeletedObject[T]) GetObjectName() ObjectName {",
                after: "func NameOfDeleted[T Object](d DeletedObject[T]) ObjectName {",
            },
            {
                file: "tools/cache/controller.go",
                from: "// GetName returns the name without the namespace.",
                upTo: "// ResourceEventHandlerFuncs is an adaptor",
            },
        ],
    },
    {
        module: "k8s.io/dynamic-resource-allocation",
        edits: [
            ["klog.KObj(deletedSlice)", "cache.NameOfDeleted(deletedSlice)"],
            ["deletedSlice.GetName()", "cache.NameOfDeleted(deletedSlice).Name"],
            ["klog.KObj(deletedRule)", "cache.NameOfDeleted(deletedRule)"],
        ].map(([before = "", after = ""]) => ({ file: "resourceslice/tracker/tracker.go", before, after })),
    },
];

/**
 * Packages that tests hardly run: unused commands of Pulumi, parts of Kubernetes and containerd for hardware and
 * services that the local node doesn't have, tables. They are compiled without optimization, which halves the time.
 */
export const RARELY_RUN: readonly string[] = [
    "charm.land/...",
    "github.com/alecthomas/...",
    "github.com/Azure/...",
    "github.com/AzureAD/...",
    "github.com/ccojocar/...",
    "github.com/charmbracelet/...",
    "github.com/cilium/...",
    "github.com/cncf/...",
    "github.com/containerd/containerd/v2/plugins/...",
    "github.com/containerd/nri/...",
    "github.com/envoyproxy/...",
    "github.com/git-pkgs/...",
    "github.com/go-git/...",
    "github.com/google/cadvisor/...",
    "github.com/google/gnostic-models/...",
    "github.com/google/go-containerregistry/...",
    "github.com/google/go-tpm/...",
    "github.com/hashicorp/...",
    "github.com/nbutton23/...",
    "github.com/pb33f/...",
    "github.com/pgavlin/...",
    "github.com/ProtonMail/...",
    "github.com/pulumi/pulumi/pkg/v3/cmd/...",
    "github.com/pulumi/pulumi/pkg/v3/codegen/...",
    "github.com/quic-go/...",
    "github.com/rivo/...",
    "github.com/sourcegraph/...",
    "github.com/tetratelabs/...",
    "github.com/uber/...",
    "github.com/yuin/...",
    "github.com/zclconf/...",
    "go.opentelemetry.io/...",
    "gocloud.dev/...",
    "google.golang.org/genproto/...",
    "helm.sh/...",
    "k8s.io/client-go/applyconfigurations/...",
    "k8s.io/client-go/informers/...",
    "k8s.io/kubectl/...",
    "k8s.io/kubernetes/cmd/kubeadm/...",
    "k8s.io/kubernetes/pkg/generated/...",
    "k8s.io/kubernetes/pkg/volume/...",
    "sigs.k8s.io/kustomize/...",
    "sourcegraph.com/...",
];

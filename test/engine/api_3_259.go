//go:build !pulumi_3_216

package main

import (
	"context"

	"github.com/blang/semver"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

func newSnapshotManager(
	persister backend.SnapshotPersister, manager secrets.Manager, base *deploy.Snapshot,
) *backend.SnapshotManager {
	return backend.NewSnapshotManager(persister, manager, base, nil)
}

// useHost gives the engine the program and the recording provider. The result closes them.
func useHost(options *engine.UpdateOptions, program *Program, address string) (func(), error) {
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	language := deploytest.NewLanguageRuntimeF(func(_ plugin.RunInfo, monitor *deploytest.ResourceMonitor) error {
		return program.run(monitor)
	})
	loader := deploytest.NewProviderLoader("rec", semver.MustParse("1.0.0"), func() (plugin.Provider, error) {
		client := pulumirpc.NewResourceProviderClient(connection)
		return plugin.NewProviderWithClient(nil, client, false), nil
	})
	host := deploytest.NewPluginHostF(nil, nil, language, nil, nil, loader)()
	options.HostFactory = func(context.Context, diag.Sink, diag.Sink, plugin.DebugContext) (plugin.Host, error) {
		return host, nil
	}
	return func() {
		_ = host.Close()
		_ = connection.Close()
	}, nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Language is the language host of the command line.
type Language struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	program *Program
}

func (l *Language) Run(_ context.Context, req *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	connection, err := grpc.NewClient(req.GetMonitorAddress(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer func() { _ = connection.Close() }()
	monitor := deploytest.NewResourceMonitor(pulumirpc.NewResourceMonitorClient(connection))
	if err := l.program.run(monitor); err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	return &pulumirpc.RunResponse{}, nil
}

func (l *Language) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "1.0.0"}, nil
}

func (l *Language) GetRequiredPackages(
	context.Context, *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

func (l *Language) GetRequiredPlugins(
	context.Context, *pulumirpc.GetRequiredPluginsRequest,
) (*pulumirpc.GetRequiredPluginsResponse, error) {
	return &pulumirpc.GetRequiredPluginsResponse{}, nil
}

// initialize makes a project and a stack whose state is in a file.
func (s *Stack) initialize() error {
	folder, err := os.MkdirTemp("", "flux-minicluster-engine-")
	if err != nil {
		return err
	}
	s.folder = folder
	project := []byte("name: project\nruntime: nodejs\n")
	if err := os.WriteFile(filepath.Join(folder, "Pulumi.yaml"), project, 0o600); err != nil {
		return err
	}
	return s.command("stack", "init", "stack").Run()
}

func (s *Stack) leave() error {
	if s.folder == "" {
		return nil
	}
	return os.RemoveAll(s.folder)
}

func (s *Stack) command(words ...string) *exec.Cmd {
	command := exec.Command(s.pulumi, words...)
	command.Dir = s.folder
	command.Env = append(os.Environ(),
		"PULUMI_BACKEND_URL=file://"+s.folder, "PULUMI_CONFIG_PASSPHRASE=", "PULUMI_SKIP_UPDATE_CHECK=true",
		"PULUMI_DEBUG_PROVIDERS=rec:"+s.port(), "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS=true")
	return command
}

func (s *Stack) port() string {
	return s.recorder.address[len("127.0.0.1:"):]
}

// byCommand runs an operation with the command line. The first result is the operation's failure.
func (s *Stack) byCommand(operation Operation, run *running) (error, error) {
	s.recorder.language.program = s.program(operation, run)
	// This program has no key for the secrets of the command line's state.
	s.recorder.language.program.withoutSecrets = true
	var output bytes.Buffer
	command := s.command(s.words(operation)...)
	command.Stdout, command.Stderr = &output, &output
	run.cancel = func() {
		signal := os.Signal(syscall.SIGINT)
		if run.dead {
			signal = os.Kill
		}
		_ = command.Process.Signal(signal)
	}
	failure := command.Run()
	// A killed command leaves its lock.
	if err := os.RemoveAll(filepath.Join(s.folder, ".pulumi", "locks")); err != nil {
		return nil, err
	}
	if failure != nil {
		failure = fmt.Errorf("%w: %s", failure, output.String())
	}
	return failure, s.readState()
}

func (s *Stack) words(operation Operation) []string {
	verb := operation.Kind
	if operation.Options.Preview {
		verb = "preview"
	}
	words := []string{verb, "--stack", "stack", "--non-interactive", "--parallel", "1", "--client", s.recorder.address}
	if verb != "preview" {
		words = append(words, "--yes", "--skip-preview")
	}
	for _, flag := range []struct {
		set  bool
		name string
	}{
		{operation.Options.RunProgram, "--run-program"},
		{operation.Options.Refresh, "--refresh"},
		{operation.Options.ContinueOnError, "--continue-on-error"},
		{operation.Options.TargetDependents, "--target-dependents"},
		{operation.Options.ExcludeDependents, "--exclude-dependents"},
	} {
		if flag.set {
			words = append(words, flag.name)
		}
	}
	for name, keys := range map[string][]string{
		"--target": operation.Options.Target, "--exclude": operation.Options.Exclude, "--replace": operation.Options.Replace,
	} {
		for _, key := range keys {
			words = append(words, name, prefix+key)
		}
	}
	return words
}

func (s *Stack) stateFile() string {
	return filepath.Join(s.folder, ".pulumi", "stacks", "project", "stack.json")
}

func (s *Stack) readState() error {
	text, err := os.ReadFile(s.stateFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var file apitype.VersionedCheckpoint
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	var checkpoint apitype.CheckpointV3
	if err := json.Unmarshal(file.Checkpoint, &checkpoint); err != nil {
		return err
	}
	s.saved = &apitype.DeploymentV3{}
	if checkpoint.Latest != nil {
		s.saved = checkpoint.Latest
	}
	return nil
}

// writeState changes the resources of the file.
func (s *Stack) writeState() error {
	text, err := os.ReadFile(s.stateFile())
	if err != nil {
		return err
	}
	var file apitype.VersionedCheckpoint
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	var checkpoint apitype.CheckpointV3
	if err := json.Unmarshal(file.Checkpoint, &checkpoint); err != nil {
		return err
	}
	if checkpoint.Latest == nil {
		return nil
	}
	checkpoint.Latest.Resources = s.saved.Resources
	if file.Checkpoint, err = json.Marshal(checkpoint); err != nil {
		return err
	}
	if text, err = json.Marshal(file); err != nil {
		return err
	}
	return os.WriteFile(s.stateFile(), text, 0o600)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/display"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/stack"
	"github.com/pulumi/pulumi/pkg/v3/secrets/b64"
	"github.com/pulumi/pulumi/pkg/v3/util/cancel"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// stuck is the time after which an operation is ended that the engine never ends by itself.
const stuck = 2 * time.Minute

// Stack has the state of a history's stack, as the backend has saved it last.
type Stack struct {
	recorder *Recorder
	objects  map[string]map[string]string
	created  int
	saved    *apitype.DeploymentV3
	// pulumi is the command line that runs the operations. Without it, this program's own engine runs them.
	pulumi string
	folder string
}

// saver keeps each saved state, until the operation is killed.
type saver struct {
	stack *Stack
	run   *running
}

func (s saver) Save(deployment apitype.TypedDeployment) error {
	s.stack.recorder.lock.Lock()
	defer s.stack.recorder.lock.Unlock()
	if !s.run.dead {
		s.stack.saved = deployment.Deployment
	}
	return nil
}

func newStack(recorder *Recorder, pulumi string) (*Stack, error) {
	stack := &Stack{
		recorder: recorder, objects: map[string]map[string]string{}, saved: &apitype.DeploymentV3{}, pulumi: pulumi,
	}
	if pulumi == "" {
		return stack, nil
	}
	return stack, stack.initialize()
}

// isBroken is true if the engine has refused its own state. It can't continue with it.
func (t Trace) isBroken() bool {
	return strings.Contains(t.Error, "failed to verify snapshot") || strings.HasPrefix(t.Error, "panic: ")
}

func (s *Stack) run(operation Operation) (trace Trace, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			trace = Trace{Calls: []Call{}, Error: fmt.Sprint("panic: ", cause), States: []SavedResource{}}
		}
	}()
	switch operation.Kind {
	case "drift":
		s.drift(operation)
		return Trace{Calls: []Call{}, OK: true, States: []SavedResource{}}, nil
	case "taint":
		for i, res := range s.saved.Resources {
			for _, key := range operation.Tainted {
				if !res.Delete && keyOf(string(res.URN)) == key {
					s.saved.Resources[i].Taint = true
				}
			}
		}
		if s.pulumi != "" {
			if err := s.writeState(); err != nil {
				return Trace{}, err
			}
		}
		return Trace{Calls: []Call{}, OK: true, States: []SavedResource{}}, nil
	default:
		return s.operate(operation)
	}
}

// drift changes the objects of resources without the engine.
func (s *Stack) drift(operation Operation) {
	for _, res := range s.saved.Resources {
		id, name := string(res.ID), nameOf(string(res.URN))
		for _, gone := range operation.Gone {
			if gone == name {
				delete(s.objects, id)
			}
		}
		for _, changed := range operation.Changed {
			if object, exists := s.objects[id]; exists && changed == name {
				object["drift"] = "drifted"
			}
		}
	}
}

func (s *Stack) operate(operation Operation) (Trace, error) {
	var err error
	run := &running{
		faults: operation.Faults, cancelled: make(chan struct{}), continueOnError: operation.Options.ContinueOnError,
	}
	s.recorder.lock.Lock()
	s.recorder.objects, s.recorder.created, s.recorder.run = s.objects, s.created, run
	s.recorder.lock.Unlock()
	var failure error
	if s.pulumi == "" {
		failure, err = s.inProcess(operation, run)
	} else {
		failure, err = s.byCommand(operation, run)
	}
	if err != nil {
		return Trace{}, err
	}
	s.recorder.lock.Lock()
	run.dead = true
	s.created = s.recorder.created
	s.recorder.lock.Unlock()
	trace := Trace{Calls: run.calls, OK: failure == nil, States: s.states(), Pending: s.pending()}
	if trace.Calls == nil {
		trace.Calls = []Call{}
	}
	if failure != nil {
		trace.Error = failure.Error()
	}
	return trace, nil
}

func (s *Stack) program(operation Operation, run *running) *Program {
	return &Program{
		registrations: operation.Program,
		preview:       operation.Options.Preview,
		waits: func(registering bool) {
			s.recorder.lock.Lock()
			defer s.recorder.lock.Unlock()
			run.registering = registering
		},
	}
}

// inProcess runs an operation with the engine of this program. The first result is the operation's failure.
func (s *Stack) inProcess(operation Operation, run *running) (error, error) {
	ctx := context.Background()
	snapshot, err := stack.DeserializeDeploymentV3(ctx, *s.saved, stack.Base64SecretsProvider{})
	if err != nil {
		return nil, fmt.Errorf("the saved state can't be read: %w", err)
	}
	cancelContext, source := cancel.NewContext(ctx)
	run.cancel = func() { source.Cancel() }

	events := make(chan engine.Event)
	var drained sync.WaitGroup
	drained.Add(1)
	go func() {
		defer drained.Done()
		for range events {
		}
	}()
	engineContext := &engine.Context{
		Cancel:        cancelContext,
		Events:        events,
		PluginManager: framework.NopPluginManager{},
	}
	closeManager := func() error { return nil }
	if !operation.Options.Preview {
		manager := newSnapshotManager(saver{stack: s, run: run}, b64.NewBase64SecretsManager(), snapshot)
		engineContext.SnapshotManager, closeManager = manager, manager.Close
	}
	options := engineOptions(operation.Options)
	stop, err := useHost(&options, s.program(operation, run), s.recorder.address)
	if err != nil {
		return nil, err
	}
	project := workspace.Project{Name: "project", Runtime: workspace.NewProjectRuntimeInfo("test", nil)}
	target := deploy.Target{Name: tokens.MustParseStackName("stack"), Snapshot: snapshot}
	info := engine.UpdateInfo{Root: "/", Project: &project, Target: &target}

	watchdog := time.AfterFunc(stuck, run.cancel)
	_, _, failure := entryPoint(operation)(info, engineContext, options, operation.Options.Preview)
	watchdog.Stop()
	close(events)
	drained.Wait()
	failure = errors.Join(failure, closeManager())
	stop()
	return failure, nil
}

type entry func(engine.UpdateInfo, *engine.Context, engine.UpdateOptions, bool) (*deploy.Plan, display.ResourceChanges, error)

func entryPoint(operation Operation) entry {
	switch {
	case operation.Kind == "destroy" && operation.Options.RunProgram:
		return engine.DestroyV2
	case operation.Kind == "destroy":
		return engine.Destroy
	case operation.Kind == "refresh" && operation.Options.RunProgram:
		return engine.RefreshV2
	case operation.Kind == "refresh":
		return engine.Refresh
	default:
		return engine.Update
	}
}

func engineOptions(options Options) engine.UpdateOptions {
	return engine.UpdateOptions{
		Parallel:          1,
		Refresh:           options.Refresh,
		ContinueOnError:   options.ContinueOnError,
		Targets:           urnsOf(options.Target),
		TargetDependents:  options.TargetDependents,
		Excludes:          urnsOf(options.Exclude),
		ExcludeDependents: options.ExcludeDependents,
		ReplaceTargets:    urnsOf(options.Replace),
	}
}

func urnsOf(keys []string) deploy.UrnTargets {
	urns := make([]string, len(keys))
	for i, key := range keys {
		urns[i] = prefix + key
	}
	return deploy.NewUrnTargets(urns)
}

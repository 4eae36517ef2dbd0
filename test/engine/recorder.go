package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

const (
	unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
	prefix  = "urn:pulumi:stack::project::"
)

// Recorder is a provider whose answers follow from the type and the inputs of a resource. It records each call.
// test/model/support/recorder.ts has the same answers.
type Recorder struct {
	pulumirpc.UnimplementedResourceProviderServer
	address string
	// language runs the program of the operation for a command line.
	language *Language

	lock sync.Mutex
	// objects has the outputs of the existing objects by id.
	objects map[string]map[string]string
	created int
	run     *running
}

// running is the state of an operation.
type running struct {
	calls  []Call
	faults []Fault
	// dead is true after a kill: nothing is saved, no call is recorded.
	dead            bool
	continueOnError bool
	// registering is true while the program waits for the engine's answer to a registration.
	registering bool
	// cancel interrupts the operation as Ctrl-C does. cancelled is closed when the provider knows of it.
	cancel    func()
	cancelled chan struct{}
	once      sync.Once
}

func serveRecorder() (*Recorder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	recorder := &Recorder{address: listener.Addr().String()}
	recorder.language = &Language{}
	server := grpc.NewServer()
	pulumirpc.RegisterResourceProviderServer(server, recorder)
	pulumirpc.RegisterLanguageRuntimeServer(server, recorder.language)
	go func() { _ = server.Serve(listener) }()
	return recorder, nil
}

// record notes a call and applies the fault at it. Effect does the call's work.
func (r *Recorder) record(call Call, effect func(partial bool) error) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	run := r.run
	if run.dead {
		return status.Error(codes.Unavailable, "killed")
	}
	at := len(run.calls)
	run.calls = append(run.calls, call)
	kind := ""
	for _, fault := range run.faults {
		if fault.At == at {
			kind = fault.Kind
		}
	}
	switch kind {
	case "fail":
		run.endIfStuck(call)
		return status.Error(codes.Unknown, "scripted failure")
	case "partial":
		run.endIfStuck(call)
		return effect(true)
	case "kill", "kill after":
		if kind == "kill after" {
			_ = effect(false)
		}
		run.dead = true
		go run.cancel()
		return status.Error(codes.Unavailable, "killed")
	case "cancel":
		run.cancel()
		r.lock.Unlock()
		<-run.cancelled
		r.lock.Lock()
	}
	return effect(false)
}

// endIfStuck ends an operation that would wait forever: if a deletion before a replacement fails, and the operation
// continues on errors, then the engine never answers the registration.
func (run *running) endIfStuck(call Call) {
	if call.Verb == "delete" && run.continueOnError && run.registering {
		go run.cancel()
	}
}

func (r *Recorder) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	r.lock.Lock()
	run := r.run
	r.lock.Unlock()
	run.once.Do(func() { close(run.cancelled) })
	return &emptypb.Empty{}, nil
}

func (r *Recorder) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

func (r *Recorder) DiffConfig(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return compare("", read(req.GetOldInputs()), read(req.GetNews())), nil
}

func (r *Recorder) Configure(
	context.Context, *pulumirpc.ConfigureRequest,
) (*pulumirpc.ConfigureResponse, error) {
	return &pulumirpc.ConfigureResponse{SupportsPreview: false}, nil
}

// Attach is how a command line begins to use a provider that runs already.
func (r *Recorder) Attach(context.Context, *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (r *Recorder) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "1.0.0"}, nil
}

func (r *Recorder) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	news, olds := read(req.GetNews()), read(req.GetOlds())
	response := &pulumirpc.CheckResponse{}
	call := Call{Verb: "check", Key: keyOf(req.GetUrn()), Olds: olds, News: clone(news)}
	err := r.record(call, func(bool) error {
		if news["f"] == "bad" {
			response.Failures = []*pulumirpc.CheckFailure{{Property: "f", Reason: "scripted check failure"}}
		}
		if strings.Contains(flagsOf(req.GetUrn()), "A") {
			news["auto"] = olds["auto"]
			if news["auto"] == "" {
				news["auto"] = fmt.Sprintf("auto-%d", len(r.run.calls)-1)
			}
		}
		response.Inputs = write(news)
		return nil
	})
	return response, err
}

func (r *Recorder) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	olds, news := read(req.GetOldInputs()), read(req.GetNews())
	for _, name := range req.GetIgnoreChanges() {
		if value, has := olds[name]; has {
			news[name] = value
		} else {
			delete(news, name)
		}
	}
	var response *pulumirpc.DiffResponse
	call := Call{Verb: "diff", Key: keyOf(req.GetUrn()), ID: req.GetId(), Olds: olds, News: read(req.GetNews())}
	err := r.record(call, func(bool) error {
		response = compare(flagsOf(req.GetUrn()), olds, news)
		return nil
	})
	return response, err
}

// compare answers a diff: a change of input r replaces, a change of u updates, and other inputs have no effect.
func compare(flags string, olds, news map[string]string) *pulumirpc.DiffResponse {
	response := &pulumirpc.DiffResponse{
		Changes:             pulumirpc.DiffResponse_DIFF_NONE,
		DeleteBeforeReplace: strings.Contains(flags, "D"),
	}
	if strings.Contains(flags, "Z") {
		return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_UNKNOWN}
	}
	for _, name := range []string{"r", "u"} {
		if olds[name] == news[name] {
			continue
		}
		response.Changes = pulumirpc.DiffResponse_DIFF_SOME
		response.Diffs = append(response.Diffs, name)
		if name == "r" && (news[name] != unknown || !strings.Contains(flags, "P")) {
			response.Replaces = append(response.Replaces, name)
		}
	}
	return response
}

func (r *Recorder) Create(_ context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	news := read(req.GetProperties())
	response := &pulumirpc.CreateResponse{}
	err := r.record(Call{Verb: "create", Key: keyOf(req.GetUrn()), News: news}, func(partial bool) error {
		id := fmt.Sprintf("%s-%d", nameOf(req.GetUrn()), r.created)
		r.created++
		outputs := clone(news)
		outputs["out"] = "out-" + id
		r.objects[id] = outputs
		response.Id, response.Properties = id, write(outputs)
		return failedInit(partial, id, outputs, news)
	})
	return response, err
}

func (r *Recorder) Update(_ context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	olds, news, id := read(req.GetOlds()), read(req.GetNews()), req.GetId()
	response := &pulumirpc.UpdateResponse{}
	call := Call{Verb: "update", Key: keyOf(req.GetUrn()), ID: id, Olds: read(req.GetOldInputs()), News: news}
	err := r.record(call, func(partial bool) error {
		outputs := clone(news)
		outputs["out"] = olds["out"]
		if strings.Contains(flagsOf(req.GetUrn()), "O") {
			outputs["out"] = fmt.Sprintf("out-%s-%s", id, news["u"])
		}
		r.objects[id] = outputs
		response.Properties = write(outputs)
		return failedInit(partial, id, outputs, news)
	})
	return response, err
}

func (r *Recorder) Delete(_ context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	call := Call{Verb: "delete", Key: keyOf(req.GetUrn()), ID: req.GetId(), Olds: read(req.GetOldInputs())}
	return &emptypb.Empty{}, r.record(call, func(partial bool) error {
		if partial {
			return status.Error(codes.Unknown, "scripted failure")
		}
		delete(r.objects, req.GetId())
		return nil
	})
}

func (r *Recorder) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	response := &pulumirpc.ReadResponse{}
	call := Call{Verb: "read", Key: keyOf(req.GetUrn()), ID: req.GetId(), Olds: read(req.GetInputs())}
	err := r.record(call, func(partial bool) error {
		object, exists := r.objects[req.GetId()]
		if !exists {
			return nil
		}
		inputs := read(req.GetInputs())
		if object["drift"] != "" {
			inputs["u"] = object["drift"]
		}
		response.Id, response.Properties, response.Inputs = req.GetId(), write(object), write(inputs)
		return failedInit(partial, req.GetId(), object, inputs)
	})
	return response, err
}

// failedInit is the error of a resource that exists and isn't ready.
func failedInit(partial bool, id string, outputs, inputs map[string]string) error {
	if !partial {
		return nil
	}
	failed, err := status.New(codes.Unknown, "scripted partial failure").WithDetails(&pulumirpc.ErrorResourceInitFailed{
		Id: id, Properties: write(outputs), Inputs: write(inputs), Reasons: []string{"scripted"},
	})
	if err != nil {
		return err
	}
	return failed.Err()
}

func keyOf(urn string) string { return strings.TrimPrefix(urn, prefix) }

func nameOf(urn string) string { return urn[strings.LastIndex(urn, "::")+2:] }

// flagsOf returns the letters after the last colon of the type.
func flagsOf(urn string) string {
	kind := strings.TrimSuffix(urn, "::"+nameOf(urn))
	return kind[strings.LastIndex(kind, ":")+1:]
}

func read(from *structpb.Struct) map[string]string {
	values := map[string]string{}
	for name, value := range from.GetFields() {
		values[name] = value.GetStringValue()
	}
	return values
}

func write(values map[string]string) *structpb.Struct {
	fields := map[string]*structpb.Value{}
	for name, value := range values {
		fields[name] = structpb.NewStringValue(value)
	}
	return &structpb.Struct{Fields: fields}
}

func clone(values map[string]string) map[string]string {
	copied := map[string]string{}
	for name, value := range values {
		copied[name] = value
	}
	return copied
}

func sorted(values []string) []string {
	slices.Sort(values)
	return values
}

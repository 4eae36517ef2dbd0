package main

// History is a sequence of operations of one stack, as test/model/support/history.ts draws it.
type History struct {
	Operations []Operation `json:"operations"`
}

// Operation is a call of the CLI, or an event between two calls.
type Operation struct {
	Kind    string         `json:"kind"`
	Program []Registration `json:"program"`
	Options Options        `json:"options"`
	Faults  []Fault        `json:"faults"`
	// Gone and Changed have the names of resources of the state: kind "drift".
	Gone    []string `json:"gone"`
	Changed []string `json:"changed"`
	// Tainted has keys of resources of the state: kind "taint".
	Tainted []string `json:"tainted"`
}

// Options are the options of a call. Resources are named by their keys.
type Options struct {
	Preview           bool     `json:"preview"`
	RunProgram        bool     `json:"runProgram"`
	Refresh           bool     `json:"refresh"`
	ContinueOnError   bool     `json:"continueOnError"`
	Target            []string `json:"target"`
	TargetDependents  bool     `json:"targetDependents"`
	Exclude           []string `json:"exclude"`
	ExcludeDependents bool     `json:"excludeDependents"`
	Replace           []string `json:"replace"`
}

// Fault happens at a call of the provider. At counts the calls of the operation from 0.
type Fault struct {
	At   int    `json:"at"`
	Kind string `json:"kind"`
}

// Registration is a resource of a program. Resources of the program are named by their names.
type Registration struct {
	Name                string            `json:"name"`
	Type                string            `json:"type"`
	Component           bool              `json:"component"`
	Inputs              map[string]string `json:"inputs"`
	Dependencies        []string          `json:"dependencies"`
	Parent              string            `json:"parent"`
	Provider            string            `json:"provider"`
	Aliases             []Alias           `json:"aliases"`
	Protect             *bool             `json:"protect"`
	RetainOnDelete      *bool             `json:"retainOnDelete"`
	DeletedWith         string            `json:"deletedWith"`
	ReplaceWith         []string          `json:"replaceWith"`
	IgnoreChanges       []string          `json:"ignoreChanges"`
	ReplaceOnChanges    []string          `json:"replaceOnChanges"`
	DeleteBeforeReplace *bool             `json:"deleteBeforeReplace"`
	SecretOutputs       []string          `json:"secretOutputs"`
	SecretInputs        []string          `json:"secretInputs"`
}

// Alias names a former resource, by its key or by the parts that have changed.
type Alias struct {
	Key      string `json:"key"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	Parent   string `json:"parent"`
	NoParent bool   `json:"noParent"`
}

// Call is a call of the provider.
type Call struct {
	Verb string `json:"verb"`
	// Key is the URN without stack and project.
	Key  string            `json:"key"`
	ID   string            `json:"id,omitempty"`
	Olds map[string]string `json:"olds,omitempty"`
	News map[string]string `json:"news,omitempty"`
}

// Trace is what an operation did.
type Trace struct {
	Calls  []Call          `json:"calls"`
	OK     bool            `json:"ok"`
	Error  string          `json:"error,omitempty"`
	States []SavedResource `json:"states"`
	// Pending has the operations that were interrupted, such as "creating key".
	Pending []string `json:"pending,omitempty"`
}

// SavedResource is a resource of the state after an operation.
type SavedResource struct {
	Key          string              `json:"key"`
	ID           string              `json:"id,omitempty"`
	Flags        string              `json:"flags,omitempty"`
	Inputs       map[string]string   `json:"inputs,omitempty"`
	Outputs      map[string]string   `json:"outputs,omitempty"`
	Parent       string              `json:"parent,omitempty"`
	Dependencies []string            `json:"dependencies,omitempty"`
	PropertyDeps map[string][]string `json:"propertyDependencies,omitempty"`
	DeletedWith  string              `json:"deletedWith,omitempty"`
	ReplaceWith  []string            `json:"replaceWith,omitempty"`
	Provider     string              `json:"provider,omitempty"`
	Secret       []string            `json:"secret,omitempty"`
}

package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Program registers its resources one after the other, as a program in TypeScript that awaits each of them.
type Program struct {
	registrations []Registration
	preview       bool
	// withoutSecrets leaves out which outputs are secret.
	withoutSecrets bool
	// waits is told when the program begins and ends to wait for a registration.
	waits func(registering bool)
}

// registered is the engine's answer.
type registered struct {
	urn     resource.URN
	id      resource.ID
	outputs resource.PropertyMap
}

var reference = regexp.MustCompile(`^<<([^.>]+)\.([^>]+)>>$`)

// run registers the resources. A resource that needs a failed one isn't registered, because its inputs never resolve.
func (p *Program) run(monitor *deploytest.ResourceMonitor) error {
	done := map[string]registered{}
	failed := false
	for _, wanted := range p.registrations {
		if !isReady(wanted, done) {
			failed = true
			continue
		}
		p.waits(true)
		response, err := monitor.RegisterResource(
			tokens.Type(wanted.Type), wanted.Name, !wanted.Component, p.options(wanted, done))
		p.waits(false)
		if err != nil {
			return err
		}
		if response.Result != pulumirpc.Result_SUCCESS {
			continue
		}
		done[wanted.Name] = registered{urn: response.URN, id: response.ID, outputs: fromEngine(response.Outputs)}
	}
	if failed {
		return errors.New("a resource failed")
	}
	return nil
}

func isReady(wanted Registration, done map[string]registered) bool {
	needed := slices.Concat(wanted.Dependencies, wanted.ReplaceWith)
	for _, name := range []string{wanted.Parent, wanted.Provider, wanted.DeletedWith} {
		if name != "" {
			needed = append(needed, name)
		}
	}
	for _, name := range needed {
		if _, has := done[name]; !has {
			return false
		}
	}
	return true
}

func (p *Program) options(wanted Registration, done map[string]registered) deploytest.ResourceOptions {
	options := deploytest.ResourceOptions{
		Parent:                  done[wanted.Parent].urn,
		Protect:                 wanted.Protect,
		RetainOnDelete:          wanted.RetainOnDelete,
		DeletedWith:             done[wanted.DeletedWith].urn,
		IgnoreChanges:           wanted.IgnoreChanges,
		ReplaceOnChanges:        wanted.ReplaceOnChanges,
		DeleteBeforeReplace:     wanted.DeleteBeforeReplace,
		SupportsResultReporting: true,
		AliasSpecs:              true,
		PropertyDeps:            map[resource.PropertyKey][]resource.URN{},
	}
	if wanted.Provider != "" {
		provider := done[wanted.Provider]
		id := provider.id
		if id == "" {
			id = unknown
		}
		options.Provider = fmt.Sprintf("%s::%s", provider.urn, id)
	}
	for _, name := range wanted.Dependencies {
		options.Dependencies = append(options.Dependencies, done[name].urn)
	}
	for _, name := range wanted.ReplaceWith {
		options.ReplaceWith = append(options.ReplaceWith, done[name].urn)
	}
	for _, name := range wanted.SecretOutputs {
		if p.withoutSecrets {
			break
		}
		options.AdditionalSecretOutputs = append(options.AdditionalSecretOutputs, resource.PropertyKey(name))
	}
	inputs := resource.PropertyMap{}
	for name, text := range wanted.Inputs {
		value, of := p.resolve(text, done)
		key := resource.PropertyKey(name)
		// The engine takes an input without an entry for one that depends on everything.
		options.PropertyDeps[key] = []resource.URN{}
		if of != "" {
			options.PropertyDeps[key] = []resource.URN{of}
		}
		if slices.Contains(wanted.SecretInputs, name) && value.HasValue() {
			value = resource.MakeSecret(value)
		}
		if !value.IsNull() {
			inputs[key] = value
		}
	}
	options.Inputs = toEngine(inputs)
	for _, alias := range wanted.Aliases {
		options.Aliases = append(options.Aliases, aliasOf(alias, done))
	}
	return options
}

// resolve replaces a reference with the output, which may be unknown in a preview.
func (p *Program) resolve(text string, done map[string]registered) (resource.PropertyValue, resource.URN) {
	parts := reference.FindStringSubmatch(text)
	if parts == nil {
		return resource.NewProperty(text), ""
	}
	from := done[parts[1]]
	if parts[2] == "id" && from.id != "" {
		return resource.NewProperty(string(from.id)), from.urn
	}
	if value, has := from.outputs[resource.PropertyKey(parts[2])]; has {
		return value, from.urn
	}
	if p.preview {
		return resource.MakeComputed(resource.NewProperty("")), from.urn
	}
	return resource.NewNullProperty(), from.urn
}

func aliasOf(alias Alias, done map[string]registered) *pulumirpc.Alias {
	if alias.Key != "" {
		return &pulumirpc.Alias{Alias: &pulumirpc.Alias_Urn{Urn: prefix + alias.Key}}
	}
	spec := &pulumirpc.Alias_Spec{Name: alias.Name, Type: alias.Type}
	if alias.NoParent {
		spec.Parent = &pulumirpc.Alias_Spec_NoParent{NoParent: true}
	} else if parent, has := done[alias.Parent]; has {
		spec.Parent = &pulumirpc.Alias_Spec_ParentUrn{ParentUrn: string(parent.urn)}
	}
	return &pulumirpc.Alias{Alias: &pulumirpc.Alias_Spec_{Spec: spec}}
}

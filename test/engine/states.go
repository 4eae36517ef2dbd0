package main

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

const (
	signature = "4dabf18193072939515e22adb298388d"
	secret    = "1b47061264138c4ac30d75fd1eb44270"
)

// states has the resources of the saved state without the default provider.
func (s *Stack) states() []SavedResource {
	states := []SavedResource{}
	for _, res := range s.saved.Resources {
		key := keyOf(string(res.URN))
		if !strings.HasPrefix(key, "pulumi:providers:rec::default") {
			states = append(states, saved(res))
		}
	}
	return states
}

func saved(res apitype.ResourceV3) SavedResource {
	state := SavedResource{
		Key: keyOf(string(res.URN)), ID: string(res.ID), Flags: flags(res), Parent: keyOf(string(res.Parent)),
		DeletedWith: keyOf(string(res.DeletedWith)),
	}
	if strings.HasPrefix(state.Key, "pulumi:providers:") {
		state.ID = ""
	}
	var hidden, hiddenOutputs []string
	state.Inputs, hidden = values(res.Inputs)
	state.Outputs, hiddenOutputs = values(res.Outputs)
	for _, name := range hidden {
		state.Secret = append(state.Secret, "in "+name)
	}
	for _, name := range hiddenOutputs {
		state.Secret = append(state.Secret, "out "+name)
	}
	state.Secret = sorted(state.Secret)
	for _, urn := range res.Dependencies {
		state.Dependencies = append(state.Dependencies, keyOf(string(urn)))
	}
	for _, urn := range res.ReplaceWith {
		state.ReplaceWith = append(state.ReplaceWith, keyOf(string(urn)))
	}
	for property, urns := range res.PropertyDependencies {
		if len(urns) == 0 {
			continue
		}
		if state.PropertyDeps == nil {
			state.PropertyDeps = map[string][]string{}
		}
		for _, urn := range urns {
			state.PropertyDeps[string(property)] = append(state.PropertyDeps[string(property)], keyOf(string(urn)))
		}
	}
	provider := keyOf(res.Provider)
	if at := strings.LastIndex(provider, "::"); at > 0 && !strings.HasPrefix(provider, "pulumi:providers:rec::default") {
		state.Provider = provider[:at]
	}
	return state
}

func flags(res apitype.ResourceV3) string {
	text := ""
	for _, flag := range []struct {
		set  bool
		text string
	}{
		{res.Delete, "delete "},
		{res.PendingReplacement, "pendingReplacement "},
		{res.Protect, "protect "},
		{res.RetainOnDelete, "retainOnDelete "},
		{res.Taint, "taint "},
		{len(res.InitErrors) > 0, "initErrors "},
	} {
		if flag.set {
			text += flag.text
		}
	}
	return strings.TrimSpace(text)
}

// values opens secrets, and returns the names of the secret ones.
func values(from map[string]any) (map[string]string, []string) {
	opened, hidden := map[string]string{}, []string{}
	for name, value := range from {
		if object, isObject := value.(map[string]any); isObject && object[signature] == secret {
			hidden = append(hidden, name)
			value = plain(object)
		} else if sealed, isSecret := value.(*apitype.SecretV1); isSecret {
			hidden = append(hidden, name)
			value = plain(map[string]any{"ciphertext": sealed.Ciphertext, "plaintext": sealed.Plaintext})
		}
		text, _ := value.(string)
		opened[name] = text
	}
	if len(opened) == 0 {
		return nil, hidden
	}
	return opened, hidden
}

func plain(object map[string]any) any {
	text, _ := object["plaintext"].(string)
	if sealed, _ := object["ciphertext"].(string); sealed != "" {
		if decoded, err := base64.StdEncoding.DecodeString(sealed); err == nil {
			text = string(decoded)
		}
	}
	var value any
	_ = json.Unmarshal([]byte(text), &value)
	return value
}

func (s *Stack) pending() []string {
	pending := []string{}
	for _, operation := range s.saved.PendingOperations {
		key := keyOf(string(operation.Resource.URN))
		if !strings.HasPrefix(key, "pulumi:providers:rec::default") {
			pending = append(pending, string(operation.Type)+" "+key)
		}
	}
	return pending
}

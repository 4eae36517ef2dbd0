# Every target does its own set-up; none needs another to be run first.
SHELL := /bin/bash
.DELETE_ON_ERROR:

# npm brings the Node that this project needs, whichever the machine has.
LOCAL := PATH="$(CURDIR)/node_modules/.bin:$$PATH" node_modules/.bin/tsx scripts/cli.ts
SETUP := node_modules/.installed
PREFETCH := $(if $(filter bench cluster demo e2e test test-faults,$(MAKECMDGOALS)),sh local/prefetch.sh &)

export CLUSTER CONTEXT FLUX_IMAGE GREP PART DNS PROXY IP_FAMILY K8S_VERSION CPU_MANAGER

.PHONY: help demo demo-down test unit model conformance e2e test-faults cluster cluster-down cluster-status bench clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  On your own cluster:  CLUSTER=current CONTEXT=name make demo,  or CLUSTER=kind make demo"
	@echo "  The local cluster:    DNS=off PROXY=iptables IP_FAMILY=ipv6 K8S_VERSION=1.31 CPU_MANAGER=static"

demo: $(SETUP) ## a Flux MiniCluster on a local Kubernetes
	@$(LOCAL) demo

demo-down: $(SETUP) ## remove what the demo made
	@$(LOCAL) demo-down

test: $(SETUP) ## lint, types, unit and end-to-end tests
	@$(LOCAL) test

unit: $(SETUP) ## unit tests only
	@$(LOCAL) unit

model: $(SETUP) ## the provider in random histories (MODEL_HISTORIES=number, MODEL_SEED=number or random)
	@PATH="$(CURDIR)/node_modules/.bin:$$PATH" npm run --silent model

conformance: $(SETUP) ## what the stand-in for Flux has in common with the real one (FLUX_IMAGE=archive for that one, GREP=text)
	@$(LOCAL) conformance

e2e: $(SETUP) ## end-to-end tests only (GREP=text, FLUX_IMAGE=name or archive)
	@$(LOCAL) e2e

test-faults: $(SETUP) ## the tests that take too long for every run (PART=name,name for some files)
	@$(LOCAL) test-faults

cluster: $(SETUP) ## start or repair the local Kubernetes
	@$(LOCAL) up

cluster-down: $(SETUP) ## remove the local Kubernetes and all its traces
	@$(LOCAL) down

cluster-status: $(SETUP) ## which of its servers live
	@$(LOCAL) status

bench: $(SETUP) ## measure
	@$(LOCAL) bench

clean: cluster-down ## also remove what was installed and built in this folder
	@rm -rf node_modules dist local/state

node_modules/.installed: package-lock.json
	@echo "Installing npm packages (half a minute)."
	@$(PREFETCH) npm ci --silent
	@touch $@

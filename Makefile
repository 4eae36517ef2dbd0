# Every target does its own set-up. No target needs another one before it.
SHELL := /bin/bash
.DELETE_ON_ERROR:

# npm installs the Node that this project needs, independent of the machine's Node.
LOCAL := PATH="$(CURDIR)/node_modules/.bin:$$PATH" node_modules/.bin/tsx scripts/cli.ts
SETUP := node_modules/.installed
PREFETCH := $(if $(filter bench cluster demo e2e test test-faults,$(MAKECMDGOALS)),sh scripts/local/prefetch.sh &)

export PORT CLUSTER CONTEXT FLUX_IMAGE GREP PART PLUGIN DNS PROXY IP_FAMILY K8S_VERSION CPU_MANAGER NODES POLICY KUEUE PODGROUPS MTU NODE_LOST RELEASE LOAD LOAD_RUNS STRICT

.PHONY: docs help env demo demo-down test unit model conformance e2e test-faults cluster cluster-down cluster-status bench release-dry-run clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  Demo on your own cluster:       CLUSTER=current CONTEXT=name make demo,  or CLUSTER=kind make demo"
	@echo "  Options of the local cluster:   DNS=off PROXY=iptables IP_FAMILY=ipv6 K8S_VERSION=1.36 CPU_MANAGER=static NODES=3 POLICY=on KUEUE=on PODGROUPS=on MTU=1400"

demo: $(SETUP) ## run a Flux MiniCluster on a local Kubernetes (COMMAND="words", SIZE=number, PERSISTENT=on)
	@$(LOCAL) demo

demo-down: $(SETUP) ## remove the demo's MiniCluster and stack
	@$(LOCAL) demo-down

env: $(SETUP) ## print the variables with which a shell finds the demo's Pulumi and cluster
	@$(LOCAL) env

test: $(SETUP) ## run lint, type check, unit and end-to-end tests
	@$(LOCAL) test

unit: $(SETUP) ## run the unit tests only
	@$(LOCAL) unit

model: $(SETUP) ## test the provider in random histories (MODEL_HISTORIES=number, MODEL_SEED=number or random)
	@PATH="$(CURDIR)/node_modules/.bin:$$PATH" npm run --silent model

conformance: $(SETUP) ## test the behaviour of Flux, of the stand-in or of a real one (FLUX_IMAGE=archive, GREP=text)
	@$(LOCAL) conformance

e2e: $(SETUP) ## run the end-to-end tests only (GREP=text, FLUX_IMAGE=name or archive, PLUGIN=on)
	@$(LOCAL) e2e

test-faults: $(SETUP) ## run the tests that take too long for every run (PART=name,name for some files)
	@$(LOCAL) test-faults

cluster: $(SETUP) ## start the local Kubernetes, or recreate a broken one
	@$(LOCAL) up

cluster-down: $(SETUP) ## remove the local Kubernetes and all its traces
	@$(LOCAL) down

cluster-status: $(SETUP) ## list the servers of the local Kubernetes with their processes, and its nodes
	@$(LOCAL) status

bench: $(SETUP) ## measure the speed of clusters and updates (SIZE=number, RUNS=number, PART=start, waterfall, updates or languages)
	@$(LOCAL) bench

docs: $(SETUP) ## build the site of these pages and serve it on this machine (PORT=4173)
	@$(LOCAL) docs

release-dry-run: $(SETUP) ## do all of a release but signing, against local registries (RELEASE=tag: refuse what is incomplete)
	@$(LOCAL) release-dry-run

clean: cluster-down ## run cluster-down, and remove installed and built files of this folder
	@rm -rf node_modules dist scripts/local/state scripts/site/dist scripts/site/node_modules

node_modules/.installed: package-lock.json
	@echo "Installing npm packages (half a minute)."
	@$(PREFETCH) npm ci --silent
	@touch $@

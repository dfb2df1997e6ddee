# `make` alone shows what there is; what takes more than a few lines is in .ci.
GO = $(eval GO := $(or $(shell .ci/go),$(error no Go to build with)))$(GO)
PLAIN = CGO_ENABLED=0 $(GO)
BIN := bin/lockbench
# Clones share what they compiled, since no path of theirs is in it.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)
# Tests of real servers run each time, those with a browser when it changes (internal/dev/testenv).
export LOCKBENCH_NOW := $(shell date +%s)
test: export LOCKBENCH_CHROMIUM = $(shell chromium --version 2>/dev/null)
# A program with the race detector, which needs a C compiler, would sleep a second at its end.
export GORACE := atexit_sleep_ms=0 $(GORACE)
RACE = $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
# The packages of make test, those with tests that do less with the race detector, and those without goroutines.
TESTS := ./...
LARGE := $(addprefix ./,cmd/lockbench locktest reports/matrix $(addprefix internal/,campaign/matrix env/sim foreign/stepped run/runner search/explore search/replay))
ALONE := $(addprefix github.com/lockbench/lockbench/,checker% nemesis reports reports/compare reports/figure reports/gate \
	reports/hint reports/page reports/sequence reports/spans reports/terminal reports/timeline reports/view \
	$(addprefix internal/,choose dev/archtest env/sim/engine harness history%))
RACED = $(filter-out $(if $(RACE),$(ALONE)),$(shell $(GO) list $(TESTS)))
HOW = -vet=off -timeout 30m
.PHONY: help run test slowest sample soak bench lint build cross redis browser image pictures clean release reproducible empty-root
help: ## show this list
	@grep -hE '^[a-z -]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 34
run: redis build ; $(BIN) run --impl getset --nemesis failover --expect S ## the main job on real Redis: a failover under the GETSET lock, with a report
test: redis browser ## all tests on real Redis: with the race detector, and again what does less with it
	@.ci/missing "$(RACE)"
	$(PLAIN) vet $(TESTS)
	@$(if $(RACED),$(GO) test $(RACE) $(HOW) $(RACED))
	@$(if $(RACE),$(PLAIN) test $(HOW) -skip TestPure $(LARGE) $(filter $(ALONE),$(shell $(GO) list $(TESTS))))
	@$(if $(RACE),$(PLAIN) test $(HOW) -run ^TestPure ./cmd/lockbench ./checker/repair)
	cd lab && $(PLAIN) vet ./... && $(PLAIN) test $(HOW) ./...
slowest: ; @CGO_ENABLED=0 GO="$(GO)" .ci/slowest $(TESTS) ## the slowest ten packages and tests; TESTS=./checker names some
sample: ; LOCKBENCH_MUTANTS=commit $(PLAIN) test -count 1 -v -run '^TestNoConditionIsIdle$$' ./checker ## take some conditions of the judges away, others with each commit; make soak takes all away
soak: redis browser build ; GO="$(GO)" SOAK="$(SOAK)" .ci/soak ## the full numbers: takes long; the matrix goes on with SOAK=directory
bench: ; $(GO) test -run '^$$' -bench . -benchmem -benchtime 300ms ./checker ./internal/env/sim/... ./internal/foreign/tap ## benchmarks, side by side
lint: ## formatting, vet, staticcheck, and which room imports which
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	GOBIN=$(CURDIR)/bin $(PLAIN) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
	CGO_ENABLED=0 bin/golangci-lint run ./... && cd lab && CGO_ENABLED=0 ../bin/golangci-lint run ./...
cross: ## build for macOS and Windows, where sim, check, report and gate run, too
	GOOS=darwin $(GO) vet ./...
	for os in darwin windows; do GOOS=$$os $(GO) build -o /dev/null ./cmd/lockbench || exit; done
build: ## build bin/lockbench, without C: it runs in containers of any image, too
	$(PLAIN) build -ldflags "-s -w -X github.com/lockbench/lockbench/adapters.Checkout=$(CURDIR)" -o $(BIN) ./cmd/lockbench
image: ; .ci/install dockerd=docker.io mmdebstrap=mmdebstrap && docker/base-image ## build the image for --env docker from Debian's packages
release reproducible empty-root: build ## what a release publishes, in dist/; that two have the same bytes; that one runs on bare Debian
	GO="$(GO)" .ci/release $@
pictures: redis browser build ; .ci/pictures ## take the pictures of the README again
redis: ; @.ci/install redis-server=redis-server redis-sentinel=redis-sentinel
browser: ; @.ci/install chromium=chromium
clean: ; rm -rf bin dist ## remove what was built

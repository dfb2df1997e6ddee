# `make` alone shows what there is.
# The go command, looked for when a target first needs it; .ci/go says what to do where there is none.
GO = $(eval GO := $(or $(shell .ci/go),$(error no Go to build with)))$(GO)
BIN := bin/lockbench
REDIS := redis-server=redis-server redis-sentinel=redis-sentinel
BROWSER := chromium=chromium

# Without the paths of this directory in them, packages that were compiled in one clone need not be compiled in another.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)
# Tests of real servers are run each time, and not remembered as those that only compute: what is outside may have changed.
export LOCKBENCH_NOW := $(shell date +%s)
# A browser shows the same page in the same way: tests with it are remembered as long as it has this version.
test: export LOCKBENCH_CHROMIUM = $(shell chromium --version 2>/dev/null)
# A program with the race detector sleeps a second at its end, which tests would wait for.
export GORACE := atexit_sleep_ms=0 $(GORACE)
# The tests that take a smaller input with the race detector, or are only run without it.
LARGE = $(shell find . -path ./lab -prune -o -name '*large_test.go' -print)
# The lab is a module of its own: what measures and writes this project's pages, and no part of lockbench.
LAB = cd lab &&
# Those of them that depend on nothing outside, in packages with others that do: on their own go can remember their results.
PURE = $(filter %_pure_large_test.go,$(LARGE))
# $(call only,FILES): the options and packages that run the tests of these files.
only = -run '^($(shell sed -n 's/^func \(Test[A-Za-z0-9]*\).*/\1/p' $(1) | paste -sd'|'))$$' $(sort $(dir $(1)))
# The packages of make test. Go has the race detector only where it finds a C compiler.
TESTS := ./...
RACE = $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
# What has no race detector is compiled without C, as the program itself is, and so only once.
PLAIN = CGO_ENABLED=0 $(GO)
# Packages are vetted before, once. No more of them are tested at a time than there are cores: real servers must not starve.
HOW = -vet=off -timeout 30m

# What tests use where it is installed, and leave out where it is not.
PARTS := redis-server redis-sentinel chromium cc python3 node npm java javac jar mvn cargo etcd psql pgbouncer mariadb-install-db faketime docker docker-compose curl
# Debian delivers what makes a virtual environment apart from Python.
VENV = $(shell command -v python3 >/dev/null && ! python3 -c 'import ensurepip' 2>/dev/null && echo python3-venv)
MISSING = $(strip $(foreach part,$(PARTS),$(if $(shell command -v $(part)),,$(part))) $(VENV))

LINTER := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# What makes releases, pinned, in bin/; the version is the newest one of CHANGELOG.md.
GORELEASER := github.com/goreleaser/goreleaser/v2@v2.16.0
VERSION = $(shell sed -n 's/^## \([0-9][0-9.]*\) .*/\1/p' CHANGELOG.md | head -n 1)

.PHONY: help run test sample soak bench lint build cross redis browser image pictures clean release reproducible empty-root

help: ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: redis build ## the main job on real Redis: a failover under the GETSET lock, with a report
	$(BIN) run --impl getset --nemesis failover --expect S

test: redis browser ## all tests on real Redis: with the race detector, and what is large or has no goroutines without it
	@test -z "$(MISSING)" || echo "not installed, and so left out with all that needs it: $(MISSING)"
	@test -n "$(RACE)" || echo "no C compiler, and so without the race detector: apt-get install gcc libc6-dev"
	$(PLAIN) vet $(TESTS)
	$(GO) test $(RACE) $(HOW) $(TESTS)
	$(if $(and $(RACE),$(PURE)),$(PLAIN) test $(HOW) $(call only,$(PURE)))
	$(if $(RACE),$(PLAIN) test $(HOW) $(call only,$(filter-out $(PURE),$(LARGE))))
	$(LAB) $(PLAIN) vet ./... && $(PLAIN) test $(HOW) ./...

sample: ## take some conditions of the judges away, others with each commit; make soak takes all away
	LOCKBENCH_MUTANTS=commit $(PLAIN) test -count 1 -v -run '^TestNoConditionIsIdle$$' ./checker

soak: redis browser build ## the full numbers: takes long; the matrix goes on with SOAK=directory
	.ci/fresh-root
	LOCKBENCH_SOAK=1 $(GO) test -timeout 120m ./...
	$(LAB) LOCKBENCH_SOAK=1 $(GO) test -timeout 120m ./...
	dir=$$(mktemp -d); for i in 1 2; do LOCKBENCH_SOAK_DIR=$$dir $(GO) test -count 1 -timeout 120m -run SoakOverProcesses ./internal/env/sim || exit 1; done; rm -r $$dir
	$(BIN) matrix --repeat 20 --costs=false --env sim
	$(LAB) $(GO) run . soak ../store/matrix-all/latest
	$(MAKE) reproducible empty-root
	$(BIN) matrix --costs=false $(if $(SOAK),--resume $(SOAK),--repeat 20 --env process)
	$(LAB) $(GO) run . soak ../store/matrix-all/latest

bench: ## benchmarks, side by side
	$(GO) test -run '^$$' -bench . -benchtime 300ms ./checker
	$(GO) test -run '^$$' -bench . -benchmem ./internal/env/sim ./internal/env/sim/engine
	$(GO) test -run '^$$' -bench . ./internal/foreign/tap

lint: ## formatting, vet, staticcheck, and which room imports which
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	GOBIN=$(CURDIR)/bin $(PLAIN) install $(LINTER)
	CGO_ENABLED=0 bin/golangci-lint run ./...
	$(LAB) CGO_ENABLED=0 ../bin/golangci-lint run ./...

cross: ## build for macOS and Windows, where sim, check, report and gate run, too
	GOOS=darwin $(GO) build -o /dev/null ./cmd/lockbench
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) build -o /dev/null ./cmd/lockbench

image: ## build the image for --env docker from Debian's packages
	@.ci/install dockerd=docker.io mmdebstrap=mmdebstrap
	docker/base-image

bin/goreleaser: Makefile
	GOBIN=$(CURDIR)/bin $(GO) install $(GORELEASER)

release: build bin/goreleaser ## archives, packages, checksums, SBOMs and licences in dist/; nothing is published
	$(GO) build -o bin/lockbench-release ./internal/dev/release
	bin/lockbench-release licences $(BIN) bin/licences
	find bin/licences -exec touch -d @$$(git log -1 --format=%ct) {} + # packages keep the times of a tree's files
	VERSION=$(VERSION) PATH=$(CURDIR)/bin:$$PATH bin/goreleaser release --snapshot --clean
	@! docker info >/dev/null 2>&1 || .ci/release-image $(VERSION)

reproducible: release ## two releases of one commit have the same bytes
	cp dist/checksums.txt bin/first-checksums.txt
	$(MAKE) release
	cmp bin/first-checksums.txt dist/checksums.txt

empty-root: release ## the main job on Debian with redis-server only: no Go, no make, no git
	.ci/empty-root dist/lockbench_$(VERSION)_linux_$$($(GO) env GOARCH).deb

pictures: redis browser build ## take the pictures of the README again
	@.ci/pictures

build: ## build bin/lockbench, without C: it runs in containers of any image, too
	$(PLAIN) build -ldflags "-X github.com/lockbench/lockbench/adapters.Checkout=$(CURDIR)" -o $(BIN) ./cmd/lockbench

redis: # bring redis-server if it is missing
	@.ci/install $(REDIS)

browser: # bring a browser for the tests of the report
	@.ci/install $(BROWSER)

clean: ## remove what was built
	rm -rf bin dist

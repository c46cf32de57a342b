#!/usr/bin/env bash
# Builds the bench's peers, as far as this machine has Go and Rust, into the directory given as the first argument:
#   topb                  JSON records to protobuf records
#   load                  fills a real cluster and changes its objects
#   go_subject            client-go
#   go_requests           the same without an informer: requests and watches
#   go_types              the structs alone
#   go_operator           operators with controller-runtime
#   go_webhooks           the webhook server of controller-runtime
#   go_controller_runtime the same with controller-runtime's controller and priority queue
#   go_collections        collections by hand, and by Istio's krt; only with `collections` as the second argument
#   rust_subject_default  kube-rs as cargo builds it
#   rust_subject_best     kube-rs at its best: see Cargo.toml
#   rust_requests         the same without an informer
#   rust_types            the structs alone
#   rust_operator         operators with kube-rs
# Versions are pinned in go.mod and Cargo.toml. Up-to-date parts are not rebuilt. Parts that cannot be built are named on
# stderr, and the others are built anyway. Succeeds when everything exists.
set -uo pipefail

out=${1:?usage: build.sh OUTPUT_DIR}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jobs=${KUBECORO_JOBS:-$(nproc)}
((jobs > 2)) && jobs=2 # linking with LTO and compiling the Kubernetes types take 2 GB each
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
missing=0

note() { echo "peers: $*" >&2; }
lacks() { note "missing: $*"; missing=1; }

# at_least WANTED HAVE
at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -1) == "$1" ]]; }

# key_of COMPILER FILES.. : a hash of a build's inputs
key_of() { { echo "$1"; shift; cat "$here/build.sh" "$@"; } | sha256sum | cut -d' ' -f1; }

build_go() {
    local wanted have key
    wanted=$(sed -n 's/^go //p' "$here/go/go.mod")
    have=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//')
    [[ -n $have ]] || { lacks "client-go, topb and load: no Go on this machine"; return; }
    if ! at_least "$wanted" "$have"; then
        note "Go $have is older than $wanted: letting it fetch that toolchain from the module proxy"
        export GOTOOLCHAIN=go$wanted
    fi
    key=$(key_of "$have" "$here"/go/go.* "$here"/go/*/*.go "$here"/go/*/*.yaml)
    [[ -x $out/topb && -x $out/load && -x $out/go_subject && -x $out/go_requests && -x $out/go_types &&
        -x $out/go_controller_runtime && -x $out/go_operator && -x $out/go_webhooks ]] && [[ $(cat "$out/.go.key" 2>/dev/null) == "$key" ]] && return
    note "building client-go's subject and topb (the first time some minutes)"
    if (cd "$here/go" && export CGO_ENABLED=0 &&
        go build -p "$jobs" -trimpath -buildvcs=false -mod=readonly -o "$out/topb" ./topb &&
        go build -p "$jobs" -trimpath -buildvcs=false -mod=readonly -o "$out/load" ./load &&
        go build -p "$jobs" -trimpath -buildvcs=false -mod=readonly -o "$out/go_subject" ./subject &&
        go build -p "$jobs" -trimpath -buildvcs=false -mod=readonly -o "$out/go_requests" ./requests &&
        go build -p "$jobs" -trimpath -buildvcs=false -mod=readonly -o "$out/go_types" ./types &&
        go build -p "$jobs" -trimpath -buildvcs=false -mod=readonly -o "$out/go_operator" ./operator &&
        go build -p "$jobs" -trimpath -buildvcs=false -mod=readonly -o "$out/go_webhooks" ./webhooks &&
        go build -p "$jobs" -trimpath -buildvcs=false -mod=readonly -tags controllerruntime \
            -o "$out/go_controller_runtime" ./subject); then
        echo "$key" >"$out/.go.key"
    else
        lacks "client-go, topb or load: did not build"
    fi
}

cargo_build() { # program, profile, folder of that profile, name to install as, features
    (cd "$here/rust" && CARGO_TARGET_DIR=$out/rust cargo build --quiet -j "$jobs" --bin "$1" --profile "$2" --features "$5") &&
        cp "$out/rust/$3/$1" "$out/$4.new" && mv "$out/$4.new" "$out/$4"
}

build_rust() {
    local wanted have key
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$here/rust/Cargo.toml")
    have=$(cargo --version 2>/dev/null | cut -d' ' -f2)
    [[ -n $have ]] || { lacks "kube-rs: no Rust on this machine"; return; }
    at_least "$wanted" "$have" || { lacks "kube-rs: Rust $have is older than $wanted"; return; }
    key=$(key_of "$have" "$here/rust/Cargo.toml" "$here"/rust/src/*.rs "$here"/rust/src/bin/*.rs "$here"/rust/src/bin/*/*.rs)
    [[ -x $out/rust_subject_default && -x $out/rust_subject_best && -x $out/rust_requests &&
        -x $out/rust_types && -x $out/rust_operator ]] && [[ $(cat "$out/.rust.key" 2>/dev/null) == "$key" ]] && return
    note "building kube-rs's subjects (the first time some minutes)"
    if cargo_build kube-rs-subject release release rust_subject_default "" &&
        cargo_build kube-rs-subject best best rust_subject_best best && cargo_build requests best best rust_requests best &&
        cargo_build types best best rust_types best && cargo_build operator best best rust_operator best; then
        echo "$key" >"$out/.rust.key"
    else
        lacks "kube-rs: did not build"
    fi
}

# Its modules are many: only for the bench of collections.
build_collections() {
    local key
    key=$(key_of "$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null)" "$here"/collections/*)
    [[ -x $out/go_collections && $(cat "$out/.collections.key" 2>/dev/null) == "$key" ]] && return
    note "building collections by client-go and krt (the first time some minutes)"
    if (cd "$here/collections" &&
        CGO_ENABLED=0 go build -p "$jobs" -trimpath -buildvcs=false -mod=readonly -o "$out/go_collections" .); then
        echo "$key" >"$out/.collections.key"
    else
        lacks "collections by client-go and krt: did not build"
    fi
}

# The versions behind the figures: one line per library.
write_versions() {
    {
        sed -n 's|^\tk8s.io/client-go v\(.*\)|client-go \1|p' "$here/go/go.mod"
        sed -n 's|^\tsigs.k8s.io/controller-runtime v\(.*\)|controller-runtime \1|p' "$here/go/go.mod"
        sed -n 's/^k8s-openapi = .*"=\([0-9.]*\)".*/k8s-openapi \1/p' "$here/rust/Cargo.toml"
        sed -n 's/^kube = .*"=\([0-9.]*\)".*/kube-rs \1/p' "$here/rust/Cargo.toml"
        go version 2>/dev/null | cut -d' ' -f3
        rustc --version 2>/dev/null | cut -d' ' -f1,2
    } >"$out/versions"
}

if [[ ${2-} == collections ]]; then
    build_collections
    exit "$missing"
fi
build_go
[[ -d $here/rust ]] && build_rust
write_versions
exit "$missing"

#!/usr/bin/env bash
# Builds etcd, kube-apiserver and kubectl into the directory given as the first argument.
# Does nothing when the sources, their checksums and the Go version have not changed since the last build.
set -euo pipefail

out=${1:?usage: build.sh OUTPUT_DIR}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=v1.36.3 # k8s.io/kubernetes in go.mod; the binaries report it

cd "$here"
mkdir -p "$out"
out=$(cd "$out" && pwd)

# Distributions disable Go's toolchain download; an older Go (>= 1.21) needs it to get the version that go.mod requires.
wanted=$(sed -n 's/^go //p' go.mod)
have=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//') || have=0
if [[ $(printf '%s\n%s\n' "$wanted" "$have" | sort -V | head -1) != "$wanted" ]]; then
    echo "Go $have is older than $wanted: fetching that toolchain from the module proxy"
    export GOTOOLCHAIN=go$wanted
fi

key=$({ cat go.mod go.sum ./*/main.go build.sh; go env GOVERSION GOOS GOARCH; } | sha256sum | cut -d' ' -f1)
if [[ $(cat "$out/.key" 2>/dev/null) == "$key" && -x $out/etcd && -x $out/kube-apiserver && -x $out/kubectl ]]; then
    exit 0
fi

rm -f "$out/.key"
packages=k8s.io/component-base/version
ldflags="-s -w -X $packages.gitVersion=$version -X $packages.gitMajor=1 -X $packages.gitMinor=36"
jobs=${KUBECORO_JOBS:-$(nproc)}
echo "building etcd, kube-apiserver and kubectl from Go modules (once; about 4 minutes on 2 cores)"
for name in etcd kubectl kube-apiserver; do
    start=$SECONDS
    printf '  %-16s' "$name"
    CGO_ENABLED=0 go build -p "$jobs" -trimpath -mod=readonly -ldflags "$ldflags" -o "$out/$name.new" "./$name"
    mv "$out/$name.new" "$out/$name"
    echo "$((SECONDS - start)) s"
done
echo "$key" >"$out/.key"

# Installs what a verb needs from Debian's or Ubuntu's own packages. Sourced by ./dev.
# shellcheck shell=bash
# shellcheck disable=SC2154 # root is set by ./dev

# The packages of a set (build, check, schemas, format, docs, coverage, bench, systems, deb, cross, e2e), one per line, by this release's names.
package_names() {
    local boost clang=-16 compiler=g++
    # shellcheck source=/dev/null
    case $(. /etc/os-release && echo "$ID-${VERSION_ID:-}") in
    debian-12) boost=1.81 compiler='g++ clang-19' ;; # the unversioned packages are 1.74, too old
    debian-13) boost='' clang='' compiler='g++ clang-19' ;;
    ubuntu-24.04) boost=1.83 ;;
    *) boost='' clang='' ;; # later releases: the default Boost and clang are new enough
    esac
    case $1 in
    build)
        # shellcheck disable=SC2086 # two names
        printf '%s\n' $compiler cmake ninja-build pkgconf ccache git openssl python3 "libboost$boost-dev" "libboost-json$boost-dev" \
            "libboost-url$boost-dev" libssl-dev libzstd-dev zlib1g-dev libyaml-dev prometheus-cpp-dev libspdlog-dev \
            libcli11-dev libre2-dev catch2 librapidcheck-dev
        ;;
    check)
        printf '%s\n' "clang$clang" "libclang-rt$clang-dev" "clang-format$clang" "clang-tidy$clang"
        if [[ $boost == 1.81 ]]; then echo libclang-rt-19-dev; fi # the thread sanitizer of its default build
        ;;
    schemas) echo zstd ;;
    format) printf '%s\n' "clang-format$clang" ;;
    docs) printf '%s\n' doxygen ;;
    coverage) printf '%s\n' "clang$clang" "libclang-rt$clang-dev" "llvm$clang" ;;
    bench) printf '%s\n' libbenchmark-dev ;;
    systems) printf '%s\n' debootstrap ;;
    deb) printf '%s\n' debootstrap dpkg-dev debhelper help2man lintian ;;
    cross) printf '%s\n' binutils-aarch64-linux-gnu qemu-user ;;
    e2e)
        printf '%s\n' curl openssl ca-certificates
        # On Ubuntu it is a snap, which a container has not: the test in a browser is skipped there.
        # shellcheck source=/dev/null
        case $(. /etc/os-release && echo "$ID") in debian) echo chromium ;; esac
        ;;
    *) return 1 ;;
    esac
}

as_root() {
    if ((EUID == 0)); then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo >/dev/null; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        die "not root and no sudo: as root, run  apt-get update && apt-get install ${missing[*]:-golang-go}"
    fi
}

# apt's own report is long: one changing line on a terminal, only the size of the download in a log.
show_progress() {
    local line
    while IFS= read -r line; do
        case $line in
        'Need to get'*) note "${line%.}" ;;
        Get:* | 'Setting up'*) if [[ -t 2 ]]; then printf '\r\033[K  %.76s' "$line" >&2; fi ;;
        esac
    done
    if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
}

# need SET...: makes sure that the packages of these sets are there. One dpkg-query when nothing is missing.
need() {
    local set wanted=() missing=() name
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        note "no apt here: expecting compilers and libraries to be installed already (README names them)"
        return 0
    fi
    for set in "$@"; do
        mapfile -t -O "${#wanted[@]}" wanted < <(package_names "$set")
    done
    local installed
    # shellcheck disable=SC2016 # ${...} is dpkg-query's
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null) || true
    for name in "${wanted[@]}"; do
        grep -qx "$name installed" <<<"$installed" || missing+=("$name")
    done
    ((${#missing[@]})) || return 0
    if [[ -n ${KUBECORO_NO_INSTALL:-} ]]; then
        note "not installed, as KUBECORO_NO_INSTALL says: ${missing[*]}"
        return 0
    fi

    note "installing with apt: ${missing[*]}"
    as_root apt-get -qq -o DPkg::Lock::Timeout=300 update
    mkdir -p "$root/build"
    if ! as_root apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "${missing[@]}" \
        </dev/null | tee "$root/build/apt.log" | show_progress; then
        tail -20 "$root/build/apt.log" >&2
        die "apt could not install: ${missing[*]}"
    fi
    note "installed"
}

# need_go: a Go that can build the cluster and the schemas' programs (1.21 fetches the toolchain that go.mod names by itself).
need_go() {
    if go_is_usable; then return 0; fi
    if [[ -x /usr/local/go/bin/go ]]; then
        PATH=$PATH:/usr/local/go/bin
        if go_is_usable; then return 0; fi
    fi
    if [[ -z ${KUBECORO_NO_INSTALL:-} ]] && command -v apt-cache >/dev/null; then
        local offered missing=()
        [[ $(apt-cache policy golang-go) == *Candidate* ]] || as_root apt-get -qq update
        offered=$(apt-cache policy golang-go | sed -n 's/^ *Candidate: \([0-9]*:\)\?\([0-9.]*\).*/\2/p')
        if [[ -n $offered ]] && at_least "$offered" 1.21; then
            note "installing with apt: golang-go $offered"
            as_root apt-get install -y -qq --no-install-recommends golang-go >/dev/null
            if go_is_usable; then return 0; fi
        fi
    fi
    die "the real kube-apiserver and the programs of lib/api/schemas are built with Go >= 1.21, which is missing here (found: $(go version 2>/dev/null || echo none)).
Install Go from https://go.dev/dl, or name a cluster: KUBECORO_E2E_KUBECONFIG=FILE ./dev e2e"
}

go_is_usable() {
    local version
    version=$(GOTOOLCHAIN=local go version 2>/dev/null | sed -n 's/.*go version go\([0-9.]*\).*/\1/p') && [[ -n $version ]] && at_least "$version" 1.21
}

at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -1) == "$2" ]]; }

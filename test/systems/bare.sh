# A bare tree of a Debian release, commands inside of it, and a copy of the sources. Sourced.
# shellcheck shell=bash

# bare_tree FOLDER RELEASE: makes the tree, by debootstrap, unless it is there.
bare_tree() {
    if [[ -e $1/.ready ]]; then return; fi
    rm -rf "$1"
    mkdir -p "$1"
    local known=() # a debootstrap older than the release has no script for it
    if [[ ! -e /usr/share/debootstrap/scripts/$2 ]]; then known=(http://deb.debian.org/debian /usr/share/debootstrap/scripts/sid); fi
    debootstrap --variant=minbase "$2" "$1" "${known[@]}" >"$1.log" 2>&1 || { tail -5 "$1.log" >&2; return 1; }
    touch "$1/.ready"
}

# inside FOLDER COMMAND: mounts end with the command.
inside() {
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount bash -c '
        mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" /usr/bin/env -i \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            KUBECORO_JOBS="$1" bash -euc "$2"' "$1" "${KUBECORO_JOBS:-$(nproc)}" "$2"
}

# copy_sources ROOT FOLDER: files as they are, without what git ignores.
copy_sources() {
    rm -rf "$2"
    mkdir -p "$2"
    (cd "$1" && git ls-files -z --cached --others --exclude-standard | xargs -0 -r ls -d 2>/dev/null || true) |
        tar -C "$1" --files-from - -cf - | tar -C "$2" -xf -
}

#!/usr/bin/env bash
# image.sh PROGRAM DOCKERFILE: the image has every library that the program needs, by the names of Debian 12, and the packages to build it.
set -euo pipefail
program=$1 recipe=$2
type -P dpkg >/dev/null && grep -q '^VERSION_ID="12"' /etc/os-release || { echo "skipped: the names are those of Debian 12"; exit 77; }

last_stage=$(tac "$recipe" | sed '/^FROM /q')
[[ $last_stage == *"/usr/local/bin/$(basename "$program")\"]"* ]] || { echo "$recipe does not start $(basename "$program")"; exit 1; }
missing=()
libraries=$(ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p')
[[ -n $libraries ]] || { echo "$program has no libraries"; exit 1; }
for library in $libraries; do
    file=$(readlink -f "$library")
    # dpkg knows some files by their place before /lib became a link.
    package=$(dpkg -S "$file" 2>/dev/null || dpkg -S "${file#/usr}")
    package=${package%%:*}
    case $package in libc6 | libgcc-s1 | libstdc++6) continue ;; esac # each image has them
    grep -qw -- "$package" <<<"$last_stage" || missing+=("$package")
done
((${#missing[@]} == 0)) || { echo "$recipe lacks ${missing[*]}"; exit 1; }

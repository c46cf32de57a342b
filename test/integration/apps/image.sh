#!/usr/bin/env bash
# image.sh PROGRAM DOCKERFILE: the image holds the program alone, linked statically, and its build has an archive of every library
# that the program needs: from a package of Debian 12, or built from its source there.
set -euo pipefail
program=$1 recipe=$2
type -P dpkg >/dev/null && grep -q '^VERSION_ID="12"' /etc/os-release || { echo "skipped: the names are those of Debian 12"; exit 77; }

last_stage=$(tac "$recipe" | sed '/^FROM /q')
[[ $last_stage == *"/usr/local/bin/$(basename "$program")\"]"* ]] || { echo "$recipe does not start $(basename "$program")"; exit 1; }
[[ $last_stage == *'FROM scratch' ]] || { echo "$recipe ends with more than the program"; exit 1; }
grep -q -- '-DKUBECORO_STATIC=ON' "$recipe" || { echo "$recipe links no static program"; exit 1; }
missing=()
libraries=$(ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p')
[[ -n $libraries ]] || { echo "$program has no libraries"; exit 1; }
for library in $libraries; do
    # dpkg knows some files by their place before /lib became a link.
    library=$(readlink -f "$library")
    owner=$(dpkg -S "$library" 2>/dev/null || dpkg -S "${library#/usr}")
    case ${owner%%:*} in libc6 | libgcc-s1 | libstdc++6) continue ;; esac # they come with the compiler
    archive=${library%%.so*}.a
    if [[ ! -e $archive ]]; then archive=${archive%-[0-9]*}.a; fi # libyaml-0.so.2 has libyaml.a
    if [[ -e $archive ]]; then
        package=$(dpkg -S "$archive")
        grep -qw -- "${package%%:*}" "$recipe" || missing+=("${package%%:*}")
    else
        source=$(dpkg-query -W -f '${source:Package}' "${owner%%:*}")
        grep -qw -- "apt-get source $source" "$recipe" || missing+=("$source")
    fi
done
((${#missing[@]} == 0)) || { echo "$recipe lacks ${missing[*]}"; exit 1; }

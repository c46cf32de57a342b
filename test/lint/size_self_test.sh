#!/usr/bin/env bash
# Shows size.py a small tree: the counts are right, and none may rise.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
public=$work/root/lib/base/include/kubecoro/base
mkdir -p "$public/detail" "$work/lint" "$work/root/docs"
cp "$here/size.py" "$work/lint"
echo 'Three plain words.' | tee "$work/root/README.md" >"$work/root/docs/page.md"
echo 'namespace kubecoro { class hidden {}; }' >"$public/detail/hidden.hpp"
cat >"$public/queue.hpp" <<'END'
namespace kubecoro {

class forward;

namespace detail {
class hidden;
}

namespace detail {
struct hidden_options
{
    int field;
};
} // namespace detail

struct queue_options
{
    std::size_t limit = 5;
    std::function<void(int)> on_full = {};
    std::map<std::string, int> marks;
    bool ready() const { return limit == 5; }
    [[nodiscard]] int count() const;
};

using key = std::string;
template<class T>
class [[nodiscard]] queue
{
    int not_an_option = 0;
};

} // namespace kubecoro
END
size() { python3 "$work/lint/size.py" "$work/root" "$@"; }

printed=$(size --names | sed 's/.*: //' | sort | tr '\n' ' ')
[[ $printed == 'key queue queue_options queue_options::limit queue_options::marks queue_options::on_full ' ]] || { echo "$printed"; exit 1; }
size --update
grep -qx '3 base public names' "$work/lint/size.txt"
grep -qx '3 base fields of options' "$work/lint/size.txt"
grep -qx '6 docs words' "$work/lint/size.txt"
size
echo 'One word more.' >>"$work/root/docs/page.md"
for verb in '' --update; do
    if size $verb >"$work/said"; then echo "a count may rise: $verb"; exit 1; fi
    grep -q 'docs words: 9, and were 6' "$work/said"
done
echo fewer >"$work/root/docs/page.md"
size --update
grep -qx '4 docs words' "$work/lint/size.txt"

mkdir -p "$work/root/lib/cel/src"
echo >"$work/root/lib/cel/src/new.cpp"
if size >"$work/said"; then echo "a module may come uncounted"; exit 1; fi
size --update
grep -qx '1 cel lines' "$work/lint/size.txt"

#!/usr/bin/env bash
# config_and_explain.sh TOOL OBJECTS: kubeconfig files are shown without secrets and changed with care; explain reads schemas.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

serve --load "$2"
secret=$token
like '*token: REDACTED*' "$tool" config view --kubeconfig "$work/admin"
like "*token: *$secret*" "$tool" config view --raw --kubeconfig "$work/admin"
[[ $("$tool" config view --kubeconfig "$work/admin") != *"$secret"* ]] || die 'the token is shown'

cat >"$work/config" <<'YAML'
# kept
apiVersion: v1
kind: Config
current-context: one # old
contexts:
- {name: one, context: {cluster: c, user: u, namespace: web}}
- {name: "two", context: {cluster: c, user: u}}
preferences: {odd: [1, 2]}
YAML
chmod 640 "$work/config"
ln -s "$work/config" "$work/link"
export KUBECONFIG=$work/none:$work/link
prints 'one' "$tool" config current-context
prints 'current context: two' "$tool" config use-context two
prints 'two' "$tool" config current-context
diff <(sed 's/^current-context: .*/current-context: two/' "$work/config") "$work/config" || die 'not changed'
[[ $(head -1 "$work/config") == '# kept' && $(tail -1 "$work/config") == 'preferences: {odd: [1, 2]}' ]] || die 'something is lost'
[[ $(stat -c %a "$work/config") == 640 && -L $work/link ]] || die 'permissions or the link are lost'
[[ -z $(find "$work" -name '*.lock' -o -name 'config.*') ]] || die 'a file is left behind'
like $'CURRENT *NAME *\n *one *c *u *web\n\\* *two *' "$tool" config get-contexts
prints $'one\ntwo' "$tool" config get-contexts -o name
fails '*not_found*three*' "$tool" config use-context three
touch "$work/link.lock"
fails '*link.lock*' "$tool" config use-context one
rm "$work/link.lock"
prints 'two' "$tool" config view -o jsonpath=.current-context
like '*- name: two*' "$tool" config view --minify
fails '*not_found*' "$tool" config view --context three
KUBECONFIG=$work/none fails '*not_found*' "$tool" config current-context
misuses '*' "$tool" config
misuses '*-o expects*' "$tool" config view -o wide
unset KUBECONFIG

like 'KIND: *ConfigMap*VERSION: *v1*FIELDS:*data*' "$tool" explain cm --kubeconfig "$work/admin"
like '*GROUP: *shop.example.com*FIELD: *spec <Object>*' "$tool" explain campaigns.spec --kubeconfig "$work/admin"
fails '*no field none*' "$tool" explain campaigns.spec.none --kubeconfig "$work/admin"
fails '*not_found*gizmos*' "$tool" explain gizmos --kubeconfig "$work/admin"
misuses '*TYPE.FIELD*' "$tool" explain pods..a --kubeconfig "$work/admin"
finish serve TERM

#!/usr/bin/env bash
# apply.sh TOOL: server-side apply of files, directories and standard input.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

serve
export KUBECONFIG=$work/admin
write_app

prints 'customresourcedefinition.apiextensions.k8s.io/widgets.example.com applied (server dry run)' "$tool" apply --dry-run -f - \
    < <(sed '/^---/,$d' "$work/app/all.yaml")
prints 'configmap/m applied (server dry run)' "$tool" apply --dry-run=server -f - <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"}}'
fails '*not_found*' "$tool" get cm m
prints $'customresourcedefinition.apiextensions.k8s.io/widgets.example.com applied\nwidget.example.com/w applied' "$tool" apply -f "$work/app"
# An object that is refused does not keep the others.
fails '*widget.example.com/bad*spec.size*' "$tool" apply -f - < <(cat "$work/app/all.yaml"; printf -- '---\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: bad}, spec: {size: many}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: after}}\n')
# Found before it is sent, by the schema that the server has for the kind.
fails '*not sent*spec.size*' "$tool" apply --validate=client -f - <<<'{apiVersion: example.com/v1, kind: Widget, metadata: {name: bad}, spec: {size: many}}'
fails '*not sent*.dta: field not declared in schema*' "$tool" apply --validate=client -f - <<<'{apiVersion: v1, kind: ConfigMap, metadata: {name: bad}, dta: {}}'
prints 'configmap/after applied' "$tool" apply --validate=client -f - <<<'{apiVersion: v1, kind: ConfigMap, metadata: {name: after}}'
# shellcheck disable=SC2016 # the inner shell's
like 'Warning: metadata.finalizers: *prefer a domain-qualified*widget.example.com/w applied' bash -c '"$@" 2>&1' -- \
    "$tool" apply -f - <<<'{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, finalizers: [hold]}, spec: {size: 3}}'
prints 'configmap/after' "$tool" get cm after -o name
prints 'configmap/after applied' "$tool" apply --dry-run=none -f - <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"after"}}'
prints $'configmap/settings\ndeployment.apps/web' "$tool" apply -f "$work/app/more/web.yaml" -o name
like $'*widget.example.com/w applied\nconfigmap/settings applied\ndeployment.apps/web applied' "$tool" apply -R -f "$work/app"
like '*kubecoro*' "$tool" get cm settings -o yaml --show-managed-fields
prints 'green' "$tool" apply -o jsonpath=.data.colour -f - < <(sed -n '/^- apiVersion: v1/,/colour/{s/^- /  /;s/^  //;s/blue/green/;p}' "$work/app/more/web.yaml")
fails '*Gadget/g*"Gadget" of "example.com/v9"*' "$tool" apply -f - <<<'{"apiVersion":"example.com/v9","kind":"Gadget","metadata":{"name":"g"}}'
fails '*metadata.name*' "$tool" apply -f - <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}'
fails '*in namespace web, but -n says jobs*' "$tool" apply -n jobs -f - <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"web"}}'
fails '*standard input*line*' "$tool" apply -f - <<<'a: ['
fails "*$work/none*" "$tool" apply -f "$work/none"
fails '*no objects*' "$tool" apply -f /dev/null
misuses '*-f*' "$tool" apply
misuses '*--dry-run*client*' "$tool" apply --dry-run=client -f -

# Another manager owns a field: the conflict is named, and --force-conflicts settles it.
map='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"colour":"red"}}'
fails '*configmap/settings has fields of others; --force-conflicts*.data.colour*conflict with "kubecoro"*' "$tool" apply --field-manager other -f - <<<"$map"
prints 'configmap/settings applied' "$tool" apply --field-manager other --force-conflicts -f - <<<"$map"

finish serve TERM

// random writes random expressions with what Kubernetes makes of them, in the form of the program conformance:
//
//	go run ./random SEED COUNT
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	"os"
	"strconv"
	"strings"

	"kubecoro/test/cel/internal/kubernetes"
)

type line struct {
	Name       string              `json:"name"`
	Expr       string              `json:"expr"`
	Kubernetes *kubernetes.Outcome `json:"kubernetes"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: random SEED COUNT")
	}
	seed, err := strconv.ParseInt(os.Args[1], 10, 64)
	count, err2 := strconv.Atoi(os.Args[2])
	if err != nil || err2 != nil {
		log.Fatal("usage: random SEED COUNT")
	}
	env := kubernetes.Env()
	g := &generator{random: rand.New(rand.NewSource(seed))}
	buffer := bufio.NewWriter(os.Stdout)
	out := json.NewEncoder(buffer)
	out.SetEscapeHTML(false)
	for i := 0; i < count; i++ {
		text := g.of(g.pick(types...), 1+g.random.Intn(5))
		// Go's subtraction of quantities overflows for the smallest number.
		if strings.Contains(text, ".sub(") && strings.Contains(text, "-9223372036854775808") {
			continue
		}
		found := kubernetes.Evaluate(env, text, map[string]any{})
		// Go keeps the text of a quantity with an exponent as it is.
		if found != nil && !(strings.Contains(found.Value, "quantity(") && strings.Contains(found.Value, "e+")) {
			if err := out.Encode(line{fmt.Sprintf("random/%d/%d", seed, i), text, found}); err != nil {
				log.Fatal(err)
			}
		}
	}
	if err := buffer.Flush(); err != nil {
		log.Fatal(err)
	}
}

var types = []string{"int", "uint", "double", "string", "bool", "bytes", "duration", "timestamp", "ints", "strings", "map", "optional",
	"quantity", "ip", "cidr", "semver", "url"}

// literals are the leaves. The variables of comprehensions are leaves as well.
var literals = map[string][]string{
	"int":       {"0", "1", "2", "-1", "7", "9223372036854775807", "-9223372036854775808", "100"},
	"uint":      {"0u", "1u", "5u", "18446744073709551615u"},
	"double":    {"0.0", "1.5", "-2.25", "1e10", "1e30", "0.1", "double('NaN')", "double('Infinity')"},
	"string":    {"''", "'a'", "'abc'", "'héllo'", "'1'", "'a,b,c'", "'10Mi'", "'::1'", "'true'", "' x '", "'https://a.b/c?d=e'", "r'[a-z]+'", "'1.2.3'"},
	"bool":      {"true", "false"},
	"bytes":     {"b''", "b'abc'", `b'\xff'`},
	"duration":  {"duration('1s')", "duration('-90m')", "duration('1.5s')", "duration('1000h')"},
	"timestamp": {"timestamp('2020-02-29T23:59:59Z')", "timestamp(0)", "timestamp('1969-07-20T20:17:40.5+02:00')"},
	"ints":      {"[]", "[1, 2, 3]", "[3, 1, 2, 1]", "lists.range(4)"},
	"strings":   {"['a', 'b']", "['x']", "'a,b'.split(',')"},
	"map":       {"{'a': 1}", "{'a': 1, 'b': 2}", "{}"},
	"optional":  {"optional.of(1)", "optional.none()"},
	"quantity":  {"quantity('1')", "quantity('1500m')", "quantity('2Gi')", "quantity('1e3')"},
	"ip":        {"ip('10.0.0.1')", "ip('fe80::1')"},
	"cidr":      {"cidr('10.0.0.0/8')", "cidr('2001:db8::/32')"},
	"semver":    {"semver('1.2.3')", "semver('1.2.3-rc.1+b')"},
	"url":       {"url('https://a.b:80/c?d=e&d=f')", "url('/x')"},
}

// forms have the types of their operands in braces; `$` is a name of a variable, which is an operand of the type behind it.
var forms = map[string][]string{
	"int": {"{int} + {int}", "{int} - {int}", "{int} * {int}", "{int} / {int}", "{int} % {int}", "-({int})", "size({string})", "{ints}.size()",
		"int({double})", "int({uint})", "int({string})", "int({duration})", "int({timestamp})", "{ints}[{int}]", "{map}['a']", "{map}[{string}]",
		"{string}.indexOf({string})", "{string}.lastIndexOf({string})", "{ints}.sum()", "{ints}.max()", "{ints}.min()", "{ints}.indexOf({int})",
		"{timestamp}.getFullYear()", "{timestamp}.getDayOfWeek('+03:00')", "{timestamp}.getMonth()", "{duration}.getMinutes()", "{duration}.getSeconds()",
		"({bool}) ? {int} : {int}", "{optional}.orValue({int})", "{optional}.value()", "{quantity}.asInteger()", "sign({quantity})",
		"{quantity}.compareTo({quantity})", "{ip}.family()", "{cidr}.prefixLength()", "{semver}.major()", "{semver}.compareTo({semver})", "{map}.a"},
	"uint":   {"{uint} + {uint}", "{uint} - {uint}", "{uint} * {uint}", "{uint} / {uint}", "uint({int})", "uint({double})", "({bool}) ? {uint} : {uint}"},
	"double": {"{double} + {double}", "{double} * {double}", "{double} / {double}", "double({int})", "double({string})", "-({double})", "{quantity}.asApproximateFloat()"},
	"string": {"{string} + {string}", "string({int})", "string({double})", "string({bool})", "string({duration})", "string({timestamp})", "string({bytes})",
		"{string}.substring({int})", "{string}.substring({int}, {int})", "{string}.replace({string}, {string})", "{string}.lowerAscii()", "{string}.upperAscii()",
		"{string}.trim()", "{string}.charAt({int})", "{strings}.join({string})", "{strings}[{int}]", "strings.quote({string})", "'%s|%d'.format([{string}, {int}])",
		"'%s'.format([{ints}])", "'%s'.format([{map}])", "'%.2f'.format([{double}])", "'%x'.format([{int}])", "{string}.find('[a-z]+')", "({bool}) ? {string} : {string}",
		"string({ip})", "string({cidr})", "{url}.getHost()", "{url}.getEscapedPath()", "{url}.getPort()"},
	"bool": {"{int} == {int}", "{int} < {int}", "{double} >= {double}", "{string} == {string}", "{string} < {string}", "{uint} != {uint}", "{bool} && {bool}",
		"{bool} || {bool}", "!({bool})", "{string}.contains({string})", "{string}.startsWith({string})", "{string}.endsWith({string})", "{string}.matches('^[a-z]*$')",
		"{int} in {ints}", "{string} in {map}", "{string} in {strings}", "has({map}.a)", "{ints}.all($x, {int:x})", "{ints}.all($x, {bool})", "{ints}.exists($x, {bool})",
		"{ints}.exists_one($x, {bool})", "{ints}.isSorted()", "{ints} == {ints}", "{map} == {map}", "{duration} < {duration}", "{timestamp} > {timestamp}",
		"{int} < {double}", "{uint} == {int}", "dyn({uint}) == {int}", "{optional}.hasValue()", "{quantity}.isGreaterThan({quantity})", "isQuantity({string})", "isIP({string})",
		"isURL({string})", "isSemver({string})", "{cidr}.containsIP({ip})", "{ip}.isLoopback()", "{ip} == {ip}", "sets.contains({ints}, {ints})", "sets.intersects({ints}, {ints})",
		"{bytes} == {bytes}", "{ints}.exists($x, $y, {bool})", "{semver}.isLessThan({semver})", "format.dns1123Label().validate({string}).hasValue()", "{url} == {url}"},
	"bytes":     {"{bytes} + {bytes}", "bytes({string})"},
	"duration":  {"{duration} + {duration}", "{duration} - {duration}", "{timestamp} - {timestamp}", "duration({string})"},
	"timestamp": {"{timestamp} + {duration}", "{timestamp} - {duration}", "timestamp({int})", "timestamp({string})"},
	"ints": {"{ints} + {ints}", "{ints}.map($x, {int})", "{ints}.filter($x, {bool})", "{ints}.map($x, {bool}, {int})", "[{int}, {int}]", "{ints}.sort()", "{ints}.distinct()",
		"{ints}.reverse()", "{ints}.slice({int}, {int})", "{ints}.sortBy($x, {int})", "{ints}.transformList($x, $y, {int})", "({bool}) ? {ints} : {ints}", "[?{optional}]"},
	"strings":  {"{strings} + {strings}", "{string}.split({string})", "[{string}]", "{map}.map($k, 'k')", "{string}.findAll('[a-z]')"},
	"map":      {"{'k': {int}}", "{'a': {int}, 'b': {int}}", "{map}.transformMap($k, $y, {int})", "{?'a': {optional}}"},
	"optional": {"optional.of({int})", "{map}.?a", "{ints}[?{int}]", "{map}[?{string}]", "optional.ofNonZeroValue({int})", "{optional}.optMap($x, {int})", "{optional}.or({optional})", "{ints}.first()"},
	"quantity": {"{quantity}.add({quantity})", "{quantity}.sub({int})", "quantity({string})"},
	"ip":       {"{cidr}.ip()", "ip({string})"},
	"cidr":     {"{cidr}.masked()", "cidr({string})"},
	"semver":   {"semver({string})"},
	"url":      {"url({string})"},
}

type generator struct {
	random *rand.Rand
	// names are the variables in scope, all of type int.
	names []string
}

func (g *generator) pick(from ...string) string { return from[g.random.Intn(len(from))] }

// of is sometimes of another type, which does not compile.
func (g *generator) of(kind string, depth int) string {
	if g.random.Intn(60) == 0 {
		kind = g.pick(types...)
	}
	if depth == 0 || g.random.Intn(5) == 0 {
		if kind == "int" && len(g.names) > 0 && g.random.Intn(2) == 0 {
			return g.pick(g.names...)
		}
		return g.pick(literals[kind]...)
	}
	return g.fill(g.pick(forms[kind]...), depth-1)
}

func (g *generator) fill(form string, depth int) string {
	before := len(g.names)
	var out strings.Builder
	for i := 0; i < len(form); i++ {
		switch end := strings.IndexByte(form[i:], '}'); {
		case form[i] == '$':
			name := fmt.Sprintf("v%d", len(g.names))
			g.names = append(g.names, name)
			out.WriteString(name)
			i++
		case form[i] == '{' && end > 0 && literals[strings.Split(form[i+1:i+end], ":")[0]] != nil:
			inner := g.of(strings.Split(form[i+1:i+end], ":")[0], depth)
			// A receiver or an operand of an operator needs brackets.
			if strings.ContainsAny(inner, " ?") || strings.HasPrefix(inner, "-") || strings.HasPrefix(inner, "!") {
				inner = "(" + inner + ")"
			}
			out.WriteString(inner)
			i += end
		default:
			out.WriteByte(form[i])
		}
	}
	g.names = g.names[:before]
	return out.String()
}

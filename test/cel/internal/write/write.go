// Package write puts values into the form that test/unit/cel compares: expressions that make them, with the members of maps in order.
package write

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apicel "k8s.io/apiserver/pkg/cel"
)

// quantity writes the canonical form: Go may keep the text that was parsed, which no expression sees.
func quantity(v apicel.Quantity) string {
	number, suffix := v.Quantity.CanonicalizeBytes(nil)
	return "quantity(" + quoted(string(number)+string(suffix), false) + ")"
}

func quoted(text string, isBytes bool) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case isBytes || c < 0x20 || c == 0x7f:
			fmt.Fprintf(&out, "\\x%02x", c)
		case c == '"' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func double(number float64) string {
	switch {
	case math.IsNaN(number):
		return `double("nan")`
	case math.IsInf(number, 1):
		return `double("inf")`
	case math.IsInf(number, -1):
		return `double("-inf")`
	}
	out := strconv.FormatFloat(number, 'g', 17, 64)
	if !strings.ContainsAny(out, ".e") {
		out += ".0"
	}
	return out
}

func duration(nanoseconds int64) string {
	sign := ""
	size := uint64(nanoseconds)
	if nanoseconds < 0 {
		sign = "-"
		size = -size
	}
	out := strconv.FormatUint(size/1e9, 10)
	if rest := size % 1e9; rest != 0 {
		out += strings.TrimRight(fmt.Sprintf(".%09d", rest), "0")
	}
	return sign + out + "s"
}

// Value is false for values that have no such form, such as messages.
func Value(from ref.Val) (string, bool) {
	switch v := from.(type) {
	case types.Null:
		return "null", true
	case types.Bool:
		return strconv.FormatBool(bool(v)), true
	case types.Int:
		return strconv.FormatInt(int64(v), 10), true
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u", true
	case types.Double:
		return double(float64(v)), true
	case types.String:
		return quoted(string(v), false), true
	case types.Bytes:
		return "b" + quoted(string(v), true), true
	case types.Timestamp:
		return "timestamp(" + quoted(v.Time.UTC().Format("2006-01-02T15:04:05.999999999Z07:00"), false) + ")", true
	case types.Duration:
		return "duration(" + quoted(duration(int64(v.Duration)), false) + ")", true
	case *types.Type:
		return v.TypeName(), true
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none()", true
		}
		inner, ok := Value(v.GetValue())
		return "optional.of(" + inner + ")", ok
	case apicel.IP:
		return "ip(" + quoted(v.Addr.String(), false) + ")", true
	case apicel.CIDR:
		return "cidr(" + quoted(v.Prefix.String(), false) + ")", true
	case apicel.URL:
		return "url(" + quoted(v.URL.String(), false) + ")", true
	case apicel.Quantity:
		return quantity(v), true
	case *apicel.Quantity:
		return quantity(*v), true
	case apicel.Semver:
		return "semver(" + quoted(v.Version.String(), false) + ")", true
	case apicel.Format:
		return "kubernetes.NamedFormat", true
	case traits.Lister:
		return list(v)
	case traits.Mapper:
		return mapping(v)
	}
	return "", false
}

func list(from traits.Lister) (string, bool) {
	var items []string
	for it := from.Iterator(); it.HasNext() == types.True; {
		item, ok := Value(it.Next())
		if !ok {
			return "", false
		}
		items = append(items, item)
	}
	return "[" + strings.Join(items, ", ") + "]", true
}

func mapping(from traits.Mapper) (string, bool) {
	var entries []string
	for it := from.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		keyText, ok := Value(key)
		itemText, ok2 := Value(from.Get(key))
		if !ok || !ok2 {
			return "", false
		}
		entries = append(entries, keyText+": "+itemText)
	}
	sort.Strings(entries)
	return "{" + strings.Join(entries, ", ") + "}", true
}

// values writes what Kubernetes makes of the texts of its value types, one row a line, with tabs between the columns:
//
//	go run ./values | zstd -19 -f -o ../../../../test/unit/api/data/values.tsv.zst
//
//	quantity    text, canonical text, value, milli value
//	arithmetic  text, text, comparison, sum, difference, factor, product
//	time        text, canonical text
//	microTime   text, canonical text
//	duration    text, nanoseconds, canonical text
//	percentage  text, total, rounded up, rounded down
//	json        type, JSON, the JSON written back
//
// A refused text has "-" for its results. Behind "!" is the documented result where Kubernetes has another one: values beyond 64
// bits, which overflow instead of being the nearest limit, some negative ones, which are not rounded away from zero or lose their
// high bits, and texts of numbers above the suffixes, which lose theirs.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	inf "gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var (
	out    = bufio.NewWriter(os.Stdout)
	source = rand.New(rand.NewPCG(16, 1))
)

func main() {
	log.SetFlags(0)
	quantities := append(fixedQuantities(), many(2200, randomQuantity)...)
	for _, text := range quantities {
		writeQuantity(text)
	}
	for range 2000 {
		writeArithmetic(pick(quantities), pick(quantities), pick(factors))
	}
	for _, text := range append(fixedTimes, many(600, randomTime)...) {
		writeTime("time", text, &metav1.Time{})
		writeTime("microTime", text, &metav1.MicroTime{})
	}
	for _, text := range append(fixedDurations, many(800, randomDuration)...) {
		writeDuration(text)
	}
	for _, text := range append(fixedPercentages, many(200, randomPercentage)...) {
		writePercentage(text, pick(totals))
	}
	for _, text := range jsonTexts {
		writeJSON("quantity", text, &resource.Quantity{})
		writeJSON("time", text, &metav1.Time{})
		writeJSON("microTime", text, &metav1.MicroTime{})
		writeJSON("duration", text, &metav1.Duration{})
		writeJSON("intOrString", text, &intstr.IntOrString{})
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

func row(columns ...any) {
	for i, c := range columns {
		if i > 0 {
			out.WriteByte('\t')
		}
		fmt.Fprint(out, c)
	}
	out.WriteByte('\n')
}

func pick[T any](from []T) T { return from[source.IntN(len(from))] }

func many(n int, make func() string) []string {
	var all []string
	for range n {
		all = append(all, make())
	}
	return all
}

func digits(n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(byte('0' + source.IntN(10)))
	}
	return b.String()
}

// ---- quantities

var (
	suffixes = []string{"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E5", "e-2", "e+7", "e-12", "e20"}
	odd      = []string{"", "+", "-", ".", "m", "Ki", "Pi", "Ei", "Ti", ".Ti", ".Pi", "e5", "e-10", "e-9", "E", "-k", "+m", "1.", "1.Ki", ".5", "-.5Gi", "1..5", "1.5.5", "--1", "+-1", "1-",
		"1e", "1e+", "1e5e5", "1K", "1ki", "1mi", "1kk", "1 ", " 1", "1,5", "0x1", "1_000", "1k5", "1+5", "1e5m", "1Em", "1Ee5", "½", "1µ", "1e0005", "1e-0005",
		"000", "-0", "+0", "-0m", "0Ki", "0.0000000001", "-0.0000000001", "0.1Ki", "0.0005Ki", "1.500", "1.000", "1000m", "1023Ki", "1024Ki", "1025Ki", "1000Ki", "0.5Ki", "1.5Gi", "1.1Mi",
		"1000E", "1e21", "123456E", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "8Ei", "7.99999999999Ei", "9Ei", "-9Ei", "8191Pi", "8192Pi",
		"9223372036854775807Ki", "9007199254740993", "0.9223372036854775807", "9.223372036854775807", "92233720368547758.07", "1e100", "-1e100", "1e-100", "-1e-100", "12345678901234567890",
		"99999999999999999999", "999999999999999999", "0.999999999999", "0.9999999999", "1.00000000000000000000000001Ei", "100000000000000000000000000000m", "1Ei", "1024Ei", "0.001Ei"}
	factors = []int64{0, 1, -1, 2, 3, -3, 7, 10, 250, 1000, 1024, -1024, 1000003, 9223372036854775807, -9223372036854775808}
)

func fixedQuantities() []string {
	all := append([]string{}, odd...)
	for _, number := range []string{"0", "1", "-1", "+2", "10", "100", "999", "1000", "1023", "1024", "1025", "1536", "0.1", "1.5", "-2.25", "100000", "1048576", "123456789012345"} {
		for _, s := range suffixes {
			all = append(all, number+s)
		}
	}
	return all
}

func randomQuantity() string {
	if source.IntN(8) == 0 {
		return mutated(pick([]string{"1.5Gi", "-250m", "12e6", "0.001", "100Ki", "1E"}), "0123456789.+-eEinumkKMGTP ")
	}
	text := pick([]string{"", "", "", "-", "+"}) + digits(pick([]int{1, 1, 2, 3, 3, 4, 6, 9, 12, 17, 18, 19, 20, 26}))
	if source.IntN(3) == 0 {
		text += "." + digits(pick([]int{0, 1, 1, 2, 3, 5, 8, 9, 10, 13}))
	}
	return text + pick(suffixes)
}

// mutated replaces, inserts or removes some characters.
func mutated(text, alphabet string) string {
	b := []byte(text)
	for range 1 + source.IntN(2) {
		at, c := source.IntN(len(b)), alphabet[source.IntN(len(alphabet))]
		switch source.IntN(3) {
		case 0:
			b[at] = c
		case 1:
			b = append(b[:at], append([]byte{c}, b[at:]...)...)
		default:
			if len(b) > 1 {
				b = append(b[:at], b[at+1:]...)
			}
		}
	}
	return string(b)
}

// canonical is the text without the one that was parsed, which Kubernetes often keeps.
func canonical(q resource.Quantity) string {
	number, suffix := q.CanonicalizeBytes(nil)
	written, _ := new(inf.Dec).SetString(string(number))
	unit := resource.MustParse("1" + string(suffix))
	if written.Mul(written, unit.AsDec()).Cmp(q.AsDec()) == 0 {
		return string(number) + string(suffix)
	}
	largest := "E"
	if q.Format == resource.BinarySI {
		largest = "Ei"
	}
	unit = resource.MustParse("1" + largest)
	return "!" + new(inf.Dec).QuoRound(q.AsDec(), unit.AsDec(), 0, inf.RoundExact).String() + largest
}

// scaled is the quantity in units of 10^scale.
func scaled(q resource.Quantity, scale resource.Scale) string {
	got := strconv.FormatInt(q.ScaledValue(scale), 10)
	exact := new(inf.Dec).Round(q.AsDec(), inf.Scale(-scale), inf.RoundUp)
	documented := exact.SetScale(0).String()
	if exact.UnscaledBig().Cmp(big.NewInt(1<<63-1)) > 0 {
		documented = strconv.FormatInt(1<<63-1, 10)
	} else if exact.UnscaledBig().Cmp(big.NewInt(-1<<63)) < 0 {
		documented = strconv.FormatInt(-1<<63, 10)
	}
	if got == documented {
		return got
	}
	return "!" + documented
}

func writeQuantity(text string) {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		row("quantity", text, "-")
		return
	}
	row("quantity", text, canonical(q.DeepCopy()), scaled(q.DeepCopy(), 0), scaled(q.DeepCopy(), resource.Milli))
}

func writeArithmetic(a, b string, factor int64) {
	x, err := resource.ParseQuantity(a)
	if err != nil {
		return
	}
	y, err := resource.ParseQuantity(b)
	if err != nil {
		return
	}
	comparison := x.Cmp(y)
	sum, difference, product := x.DeepCopy(), x.DeepCopy(), x.DeepCopy()
	sum.Add(y.DeepCopy())
	difference.Sub(y.DeepCopy())
	product.Mul(factor)
	row("arithmetic", a, b, comparison, canonical(sum), canonical(difference), factor, canonical(product))
}

// ---- times

var fixedTimes = []string{"", "2026-01-31T12:00:00Z", "0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2024-02-29T00:00:00Z", "2023-02-29T00:00:00Z",
	"1900-02-29T00:00:00Z", "2000-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-04-31T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T23:60:00Z", "2016-12-31T23:59:60Z",
	"2024-01-01T1:00:00Z", "2024-01-01T1:00:00.000001Z", "2024-01-01T01:0:00Z", "2024-01-01t00:00:00Z", "2024-01-01T00:00:00z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00.123456789012Z",
	"2024-01-01T00:00:00,000001Z", "2024-01-01T00:00:00.000000Z", "2024-01-01T00:00:00.999999+00:00", "2024-01-01T00:00:00.9999999Z", "2024-01-01T00:00:00.99999Z", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+24:60", "2024-01-01T00:00:00-25:00", "2024-01-01T00:00:00+00:61",
	"2024-01-01T00:00:00+0100", "2024-01-01T00:00:00+1:00", "2024-01-01T00:00:00Z ", " 2024-01-01T00:00:00Z", "2024-01-01T00:00:00ZZ", "-001-01-01T00:00:00Z", "+2024-01-01T00:00:00Z", "24-01-01T00:00:00Z", "2024-1-1T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00",
	"0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"}

func randomTime() string {
	text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", pick([]int{1, 4, 100, 1600, 1900, 1969, 1970, 2000, 2024, 2026, 2100, 9999, source.IntN(10000)}), 1+source.IntN(12), 1+source.IntN(31), source.IntN(24), source.IntN(60), source.IntN(60))
	text += pick([]string{"", "", "." + digits(6), "." + digits(6), "." + digits(1+source.IntN(11))})
	text += pick([]string{"Z", "Z", fmt.Sprintf("%c%02d:%02d", "+-"[source.IntN(2)], source.IntN(26), source.IntN(62))})
	if source.IntN(5) == 0 {
		return mutated(text, "0123456789-:TZ+.,")
	}
	return text
}

func writeTime(name, text string, to interface {
	UnmarshalJSON([]byte) error
}) {
	if err := to.UnmarshalJSON([]byte(strconv.Quote(text))); err != nil {
		row(name, text, "-")
		return
	}
	switch t := to.(type) {
	case *metav1.Time:
		row(name, text, t.UTC().Format(time.RFC3339))
	case *metav1.MicroTime:
		row(name, text, t.UTC().Format(metav1.RFC3339Micro))
	}
}

// ---- durations

var fixedDurations = []string{"", "0", "-0", "+0", "0s", "00", "1", "-", "+", ".", "s", ".s", "1.s", ".5s", "1h0m0s", "90m", "1h30m", "-1.5h", "+1h", "1h-1m", "1 h", "1h ", "1d", "1w", "1H", "1hm", "1mss", "1.5.5s", "1us", "1µs", "1μs", "1ns", "0.5ns", "0.9ns", "1.9ns",
	"9223372036854775807ns", "9223372036854775808ns", "-9223372036854775807ns", "-9223372036854775808ns", "-9223372036854775809ns", "9223372036854775.807us", "9223372036854775.808us", "-9223372036854775.808us", "2562047h47m16.854775807s", "2562047h47m16.854775808s",
	"-2562047h47m16.854775808s", "2562048h", "3000000h", "99999999999999999999h", "0.3333333333333333333h", "0.830103483285477580700h", "0.9223372036854775807h", "0.92233720368547758071h", "0.1m", "1.000000001s", "1.0000000009s", "39h9m14.425s", "9007199254.740993ms",
	"100000000000000000000ns", "0.100000000000000000000h", "1e3s", "0x1s", "∞s", "1h1h1h", "3ns2us1ms", "-1ns-1ns"}

func randomDuration() string {
	if source.IntN(3) == 0 {
		return time.Duration(source.Int64() >> source.IntN(64) * pick([]int64{1, -1})).String()
	}
	text := pick([]string{"", "", "", "-", "+"})
	for range 1 + source.IntN(3) {
		text += digits(pick([]int{0, 1, 1, 2, 3, 5, 8, 19}))
		if source.IntN(2) == 0 {
			text += "." + digits(pick([]int{0, 1, 2, 3, 6, 9, 12, 20}))
		}
		text += pick([]string{"ns", "us", "µs", "ms", "s", "s", "m", "m", "h", "h"})
	}
	if source.IntN(6) == 0 {
		return mutated(text, "0123456789.-+numsh ")
	}
	return text
}

func writeDuration(text string) {
	d, err := time.ParseDuration(text)
	if err != nil {
		row("duration", text, "-")
		return
	}
	row("duration", text, int64(d), d.String())
}

// ---- percentages

var (
	totals           = []int{0, 1, 2, 3, 4, 7, 10, 33, 99, 100, 101, 1000, 123457, 1 << 31, -10}
	fixedPercentages = []string{"", "%", "25", "25%", "0%", "100%", "1%", "99%", "150%", "-25%", "+25%", "+-25%", "-+25%", "--5%", " 25%", "25 %", "25%%", "2.5%", "1e1%", "025%", "abc%", "99999999999999999999%", "1_0%", "0x10%"}
)

func randomPercentage() string {
	return strconv.Itoa(source.IntN(320)-60) + pick([]string{"%", "%", "%", ""})
}

func writePercentage(text string, total int) {
	value := intstr.Parse(text)
	up, err := intstr.GetScaledValueFromIntOrPercent(&value, total, true)
	if err != nil {
		row("percentage", text, total, "-")
		return
	}
	down, err := intstr.GetScaledValueFromIntOrPercent(&value, total, false)
	if err != nil {
		log.Fatal(err)
	}
	row("percentage", text, total, up, down)
}

// ---- JSON

var jsonTexts = []string{"null", "true", "[]", "{}", "0", "-1", "80", "2147483647", "2147483648", "-2147483649", "9223372036854775808", "0.5", "1.0", "1e3", "1e-12", `""`, `" "`, `"5"`, `" 250m "`, `"1Gi"`, `"1e3"`, `"http"`, `"25%"`,
	`"1h0m0s"`, `"1h30m"`, `"90s"`, `" 1h0m0s"`, `"0"`, `"2026-01-31T12:00:00Z"`, `"2026-01-31T12:00:00+02:00"`, `"2026-01-31T12:00:00.000001Z"`, `"2026-01-31T12:00:00.5Z"`, `"0001-01-01T00:00:00Z"`, `"0001-01-01T00:00:00.000000Z"`}

func writeJSON(name, text string, to any) {
	if err := json.Unmarshal([]byte(text), to); err != nil {
		row("json", name, text, "-")
		return
	}
	again, err := json.Marshal(to)
	if err != nil {
		log.Fatal(err)
	}
	row("json", name, text, string(again))
}

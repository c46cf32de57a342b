package main

type testCase struct {
	schema  string
	values  []string
	updates [][2]string
}

// of returns an object schema with one property, a.
func of(a string) string { return `{"type":"object","properties":{"a":` + a + `}}` }

func as(values ...string) []string {
	var all []string
	for _, v := range values {
		all = append(all, `{"a":`+v+`}`)
	}
	return all
}

var anything = as(`null`, `true`, `1`, `-3`, `1.0`, `1.5`, `1e3`, `1e21`, `9223372036854775807`, `9223372036854775808`, `"x"`, `""`, `"7"`, `[]`, `[1]`, `{}`, `{"b":1}`)

var cases = []testCase{
	{schema: of(`{"type":"string"}`), values: append(anything, `{}`, `[]`, `{"a":"x","c":1}`)},
	{schema: of(`{"type":"integer"}`), values: anything},
	{schema: of(`{"type":"number"}`), values: anything},
	{schema: of(`{"type":"boolean"}`), values: anything},
	{schema: of(`{"type":"array","items":{"type":"integer"}}`), values: append(anything, as(`[1,"x",null]`)...)},
	{schema: of(`{"type":"object","properties":{"b":{"type":"string"}}}`), values: anything},
	{schema: of(`{"x-kubernetes-int-or-string":true}`), values: anything},
	{schema: of(`{"x-kubernetes-int-or-string":true,"pattern":"^[0-9]+%$","maximum":5}`), values: append(anything, as(`"50%"`, `6`)...)},
	{schema: of(`{"x-kubernetes-preserve-unknown-fields":true}`), values: anything},
	{schema: of(`{"type":"string","nullable":true}`), values: anything},
	{schema: of(`{"type":"string","format":"ipv4"}`), values: append(anything, as(`"1.2.3.4"`)...)},
	{schema: of(`{"type":"string","format":"no-such-format"}`), values: anything},
	{schema: of(`{"type":"string","format":"date-time"}`), values: append(anything, as(`"2026-01-31T12:00:00Z"`)...)},
	{schema: of(`{"type":"integer","format":"int32"}`), values: append(anything, as(`2147483647`, `2147483648`, `-2147483648`, `-2147483649`, `2147483648.0`)...)},
	{schema: of(`{"type":"integer","format":"int64"}`), values: anything},
	{schema: of(`{"type":"number","format":"float"}`), values: append(anything, as(`1e39`, `-1e39`, `3.4e38`)...)},
	{schema: of(`{"type":"number","format":"double"}`), values: append(anything, as(`1e39`)...)},
	{schema: of(`{"type":"integer","minimum":2,"maximum":10}`), values: as(`1`, `2`, `10`, `11`, `10.5`, `1.5`, `"x"`)},
	{schema: of(`{"type":"integer","minimum":2,"exclusiveMinimum":true,"maximum":10,"exclusiveMaximum":true}`), values: as(`2`, `3`, `9`, `10`, `9.5`)},
	{schema: of(`{"type":"integer","minimum":1.5,"maximum":2.5}`), values: as(`1`, `2`, `3`, `1000000`)},
	{schema: of(`{"type":"integer","format":"int32","maximum":5000000000}`), values: as(`1`, `5000000001`)},
	{schema: of(`{"type":"number","minimum":0.25,"maximum":1000000}`), values: as(`0`, `0.1`, `0.25`, `0.00001`, `1000000`, `1000001`, `1e7`, `123456789.5`)},
	{schema: of(`{"type":"number","minimum":0,"exclusiveMinimum":true}`), values: as(`0`, `-0.0`, `1`)},
	{schema: of(`{"type":"integer","multipleOf":3}`), values: as(`9`, `10`, `-3`, `0`, `4.5`)},
	{schema: of(`{"type":"number","multipleOf":0.1}`), values: as(`0.3`, `0.25`, `7`)},
	{schema: of(`{"type":"number","multipleOf":2.5}`), values: as(`5`, `5.5`, `7.5`)},
	{schema: of(`{"type":"integer","multipleOf":0.5}`), values: as(`1`)},
	{schema: of(`{"type":"string","minLength":2,"maxLength":4,"pattern":"^[a-z]+$"}`), values: as(`""`, `"a"`, `"ab"`, `"abcd"`, `"abcde"`, `"äöü"`, `"äöüßé"`, `"A"`, `"AB"`, `"A\"\n<é☃\u200b\u0001"`)},
	{schema: of(`{"type":"string","maxLength":1}`), values: as(`"ab"`, `"é"`)},
	{schema: of(`{"type":"string","pattern":"a\"b'<"}`), values: as(`"x"`, `"a\"b'<"`, `"😀\t\u2028\ue000"`)},
	{schema: of(`{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":3}`), values: as(`[]`, `["a"]`, `["a","b"]`, `["a","b","c"]`, `["a","b","c","d"]`, `{}`)},
	{schema: of(`{"type":"array","items":{"type":"string"},"maxItems":1}`), values: as(`["a","b"]`)},
	{schema: of(`{"type":"object","additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":2}`), values: as(`{}`, `{"x":1}`, `{"x":1,"y":2}`, `{"x":1,"y":2,"z":3}`, `{"x":"1","b.c":true}`)},
	{schema: `{"type":"object","additionalProperties":{"type":"integer"}}`, values: []string{`{"x":"1"}`, `{"x":1}`}},
	{schema: of(`{"type":"object","additionalProperties":true}`), values: as(`{"x":1,"y":{"z":1}}`)},
	{schema: of(`{"type":"string","enum":["x","y y","ä\"b"]}`), values: anything},
	{schema: of(`{"type":"integer","enum":[1,2,3]}`), values: anything},
	{schema: of(`{"type":"number","enum":[1,1.5,1000000000.0]}`), values: anything},
	{schema: of(`{"x-kubernetes-preserve-unknown-fields":true,"enum":[1,"x",null,true,{"b":1},[1]]}`), values: anything},
	{schema: of(`{"type":"string","nullable":true,"enum":["x"]}`), values: anything},
	{schema: `{"type":"object","required":["a","spec"],"properties":{"a":{"type":"string"},"spec":{"type":"object","required":["z","y"],"properties":{"y":{"type":"integer"}}}}}`,
		values: []string{`{}`, `{"a":"x"}`, `{"spec":{}}`, `{"a":1,"spec":{"z":1,"y":"x"}}`, `{"a":null,"spec":null}`}},
	{schema: of(`{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}},"oneOf":[{"required":["b"]},{"required":["c"]}]}`), values: as(`{}`, `{"b":"x"}`, `{"c":"x"}`, `{"b":"x","c":"y"}`, `{"b":1}`, `"x"`)},
	{schema: of(`{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"integer"}},"anyOf":[{"required":["b"],"properties":{"b":{"minLength":3}}},{"required":["c"],"properties":{"c":{"minimum":3}}}]}`),
		values: as(`{}`, `{"b":"xyz"}`, `{"b":"x"}`, `{"c":1}`, `{"b":"x","c":1}`, `{"b":"x","c":3}`, `{"c":"x"}`)},
	{schema: of(`{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"integer"}},"allOf":[{"required":["b"]},{"properties":{"b":{"pattern":"^x"}}},{"required":["c"]}]}`),
		values: as(`{}`, `{"b":"x","c":1}`, `{"b":"y","c":1}`, `{"b":"y"}`, `{"b":"x"}`)},
	{schema: of(`{"type":"string","allOf":[{"minLength":3},{"minLength":3},{"pattern":"a"}],"not":{"enum":["bad","abad"]}}`), values: as(`"x"`, `"bad"`, `"abad"`, `"good"`, `"abc"`)},
	{schema: of(`{"type":"integer","anyOf":[{"maximum":3},{"minimum":10,"maximum":20},{"minimum":30}]}`), values: as(`1`, `5`, `15`, `25`, `35`, `"x"`, `1.5`)},
	{schema: of(`{"type":"integer","oneOf":[{"maximum":10},{"minimum":5},{"multipleOf":7}]}`), values: as(`1`, `7`, `12`, `14`, `5`)},
	{schema: of(`{"type":"object","properties":{"b":{"type":"string"}},"anyOf":[{"oneOf":[{"required":["b"]},{"required":["c"]}]},{"not":{"required":["d"]}}],"x-kubernetes-preserve-unknown-fields":true}`),
		values: as(`{}`, `{"d":1}`, `{"b":"x","c":1,"d":1}`, `{"b":"x","d":1}`)},
	{schema: of(`{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]}`), values: anything},
	{schema: of(`{"type":"string","anyOf":[{"format":"ipv4"},{"format":"ipv6"}]}`), values: as(`"1.2.3.4"`, `"::1"`, `"x"`, `1`)},
	{schema: of(`{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}`), values: as(`[]`, `["a","b"]`, `["a","b","a","a","b"]`, `[1,1]`)},
	{schema: of(`{"type":"array","items":{"x-kubernetes-preserve-unknown-fields":true},"x-kubernetes-list-type":"set"}`), values: as(`[1,1.0,"1",null,null]`, `[{"b":1,"a":2},{"a":2,"b":1}]`, `[[1],[1.0]]`, `[true,true,false]`)},
	{schema: of(`{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer"}}}}`),
		values: as(`[{"k":"x"},{"k":"y"}]`, `[{"k":"x"},{"k":"y"},{"k":"x"},{"k":"x"}]`, `[{"v":1},{"v":2}]`, `[null,{},{"k":null}]`, `["x",1]`, `[{"k":1},{"k":1}]`)},
	{schema: of(`{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","l"],"items":{"type":"object","properties":{"k":{"type":"string"},"l":{"type":"integer"},"v":{"type":"integer","maximum":3}}}}`),
		values:  as(`[{"k":"x","l":1},{"k":"x","l":2}]`, `[{"k":"x","l":1},{"k":"x","l":1},{"k":"x"},{"k":"x"}]`),
		updates: [][2]string{{`{"a":[{"k":"x","l":1,"v":9}]}`, `{"a":[{"k":"y","l":1,"v":9},{"k":"x","l":1,"v":9}]}`}, {`{"a":[{"k":"x","l":1,"v":9}]}`, `{"a":[{"k":"x","l":1,"v":8}]}`}}},
	{schema: of(`{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer"}}}`), values: as(`{"x":[1,1]}`)},
	{schema: of(`{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}`),
		values: as(`{}`, `{"apiVersion":"v1","kind":"Pod"}`, `{"apiVersion":"a/b/c","kind":"Pod_x"}`, `{"apiVersion":"","kind":""}`, `{"apiVersion":1,"kind":2}`, `{"apiVersion":"v1","kind":"1a","spec":1}`, `"x"`)},
	{schema: `{"type":"object","properties":{"a":{"type":"string","default":"d"},"n":{"type":"object","default":{},"properties":{"b":{"type":"integer","default":3},"c":{"type":"string","nullable":true,"default":"q"}}},"l":{"type":"array","items":{"type":"object","default":{"w":1},"properties":{"v":{"type":"boolean","default":true},"w":{"type":"integer"}}}},"m":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"string","default":"y"}}}}}}`,
		values: []string{`{}`, `{"a":null,"n":null}`, `{"a":"x","n":{"b":null,"c":null}}`, `{"l":[{},null,{"v":false,"u":1}],"m":{"p":{},"q":null}}`, `{"z":1,"n":{"y":1},"kind":"K","apiVersion":"v1","metadata":{"name":"x"}}`, `{"l":{},"m":[]}`}},
	{schema: of(`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"b":{"type":"object","properties":{"c":{"type":"string"}}},"l":{"type":"array","items":{"type":"object","properties":{"d":{"type":"string"}}}}}}`),
		values: as(`{"x":{"y":1},"b":{"c":"x","z":1},"l":[{"d":"x","e":1},{"e":{"f":1}}]}`)},
	{schema: of(`{"type":"string","minLength":3}`),
		updates: [][2]string{{`{"a":"x"}`, `{"a":"x"}`}, {`{"a":"x"}`, `{"a":"y"}`}, {`{}`, `{"a":"y"}`}, {`{"a":"x","c":1}`, `{"a":"x","c":2}`}}},
	{schema: of(`{"type":"object","properties":{"b":{"type":"object","required":["q"],"properties":{"c":{"type":"integer","maximum":3}}}},"additionalProperties":{"type":"string","pattern":"^x"}}`),
		updates: [][2]string{{`{"a":{"b":{"c":9}}}`, `{"a":{"b":{"c":9}}}`}, {`{"a":{"b":{"c":9}}}`, `{"a":{"b":{"c":8}}}`}, {`{"a":{"b":{"c":9}}}`, `{"a":{"b":{"c":9,"d":1}}}`}}},
	{schema: of(`{"type":"array","items":{"type":"string","minLength":3}}`), updates: [][2]string{{`{"a":["x"]}`, `{"a":["x"]}`}, {`{"a":["x"]}`, `{"a":["x","long"]}`}}},
}

// odd texts are tried with each format.
var odd = []string{"", " ", "x", "1", "a.b", "ä", "-", "1-2", "[::1]", "\x00", "http://x", "a@b", "2026-01-01", "1h", "1.2.3.4", "::"}

var formats = map[string][]string{
	"bsonobjectid":   {"507f1f77bcf86cd799439011", "507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g"},
	"uri":            {"http://example.com", "http://example.com:80/a?b#c", "http://[::1]:80/", "http://[::1", "http://[1.2.3.4]/", "http://[fe80::1%25en0]/", "http://a b/", "http://a%20b/", "/path", "/a%zz", "/a%20", "path", "mailto:x", ":x", "1a:x", "a+b:c", "*", "http://u:p@h/", "http://u p@h/", "http://u@p@h", "http://h:x/", "http://h:1:2/", "ftp://h:1:2/", "//h/", "http://", "http:///x", "http://ä/", "http://%e4/", "http://a[b/", "?x", "http:x", "HTTP://H:80a"},
	"email":          {"a@b.c", "a.b@c", ".a@b", "a..b@c", "a.@b", "\"a b\"@c", "\"\"@c", "Name <a@b>", "Name <a@b", "<a@b>", "a@b (comment)", "a@b (open", "(c) a@b", "a@[1.2.3.4]", "a@[::1]", "a@[x]", "A B <a@b>, C <c@d>", "group: a@b;", "group:;", "group: a@b, c@d;", "a@b c", "ä@ö.de", "\"x\\\"y\" <a@b>", "a@", "@b", "a b", "a@@b", " a@b ", "a @b", "x y@z", "\"a\\", "N. Ame <a@b>"},
	"hostname":       {"example.com", "a", "a-b.c", "-a.b", "a-.bc", "a.b-c", "EXAMPLE.com", "a_b.com", "example.c", "example.london", "1.2.3.4", "a..b", "😀.com", "0123456789012345678901234567890123456789012345678901234567890123.com", "example.com."},
	"ipv4":           {"1.2.3.4", "01.02.03.004", "256.1.1.1", "1.2.3", "1.2.3.4.5", "::ffff:1.2.3.4", "::ffff:01.2.3.4", "1.2.3.4 ", "1.2.3.a", "+1.2.3.4"},
	"ipv6":           {"::1", "1::2::3", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7::", "12345::", "::1.2.3.4", "::01.2.3.4", "fe80::1%eth0", ":1", "1:", "::g", "1:2:3:4:5:6:1.2.3.4"},
	"cidr":           {"1.2.3.4/8", "1.2.3.4/32", "1.2.3.4/33", "1.2.3.4", "1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/08", "::/0", "::1/128", "::1/129", "01.2.3.4/8", "1.2.3.4/8/8", "::ffff:1.2.3.4/100"},
	"mac":            {"01:23:45:67:89:ab", "01-23-45-67-89-ab", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef", "0123.4567.89ab.cdef", "01:23:45:67:89", "01:23-45:67:89:ab", "01:23:45:67:89:ag", "0123456789ab", "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01"},
	"uuid":           {"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000"},
	"uuid3":          {"123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"},
	"uuid4":          {"123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"},
	"uuid5":          {"123e4567-e89b-52d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"},
	"isbn":           {"3836221195", "3 401 01319 X", "978-3-8362-2119-1", "978 3 8362 2119 0", "3423214121"},
	"isbn10":         {"3836221195", "3 401 01319 X", "3423214121"},
	"isbn13":         {"978-3-8362-2119-1", "978 3 8362 2119 0", "9784873113685"},
	"creditcard":     {"4220855426222389", "4220 8554 2622 2389", "4220855426213389", "30190239451016", "374953669708156"},
	"ssn":            {"191-60-2869", "191 60 2869", "191602869", "66690-76"},
	"hexcolor":       {"#fff", "fff", "#ff", "#ff12FG", "#FFFFFF", "ffff"},
	"rgbcolor":       {"rgb(0,31,255)", "rgb(0, 31 , 255)", "rgb(256,0,0)", "rgb(01,0,0)", "rgba(0,0,0)"},
	"byte":           {"aGk=", "aGkx", "aG==", "aGk", "aGk_", "aGkxaGk="},
	"password":       {"anything"},
	"date":           {"2026-01-31", "2026-02-29", "2024-02-29", "2026-13-01", "2026-1-31", "0000-01-01", "2026-01-31T"},
	"duration":       {"1h30m", "1.5s", "-1s", "2 weeks", "3 days", "1d", "5 hr", "7 fortnights", "1µs", "1 minute 2 seconds", "h", "99999999999999999999 days", "4 MIN", "0"},
	"datetime":       {"2026-01-31T12:00:00Z", "2026-01-31t12:00:00z", "2026-01-31T12:00:00.123+02:00", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z", "2026-01-31 12:00:00Z", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z", "2026-01-31T12:00:00ZTrest"},
	"k8s-short-name": {"a", "a-b", "-a", "a.b", "A", "0123456789012345678901234567890123456789012345678901234567890123"},
	"k8s-long-name":  {"a.b", "a..b", "a-b.c", "A.b", ".a"},
}

var patterns = []string{"", "^a", "a$", "(?i)ABC", "^(a|b)+$", `\d+`, `^\pL+$`, `[^]a]`, `[]a]+`, `(?P<x>a)`, `(?<x>a)b`, `\(?<x`, `[(?<]`, `\Q(?<x\E`, `a{2,3}`, `\bx\b`, `(?s).`, `(?m)^b$`, `^$`, `\x{e4}`, `[[:alpha:]]`,
	"(a", "a)", "[a", "a**", "*", `\`, `\C`, `[b-a]`, "a{1001}", "(?=a)", `(?P<x`, `[[:bad:]]`, `\8`, "(a+)+$", `\pX`}

var texts = []string{"", "a", "b", "ab", "abc", "aab", "12", "ä", "a\nb", "]", "(?<x", "x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}

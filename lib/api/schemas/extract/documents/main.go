// Reads texts as kubectl does, and says what it makes of them: the judge of the reader of YAML and JSON.
//
// Input and output are lines of JSON. A line of the input has a "text", or in base64 the "bytes" of one that is not UTF-8, and says what
// it is read "as":
//   - "document": one YAML document, as sigs.k8s.io/yaml converts it;
//   - "stream": a manifest, as kubectl's builder of resources reads it;
//   - "kubeconfig": as clientcmd reads it.
//
// The output has the line again, with its "value", or says that it is "refused"; with -why the reason is on standard error. A text of
// which Go's random order of maps decides is "ambiguous", and has no value.
package main

import (
	"bufio"
	"bytes"
	gojson "encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	goyaml "go.yaml.in/yaml/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
	kjson "sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"
)

type line struct {
	As        string            `json:"as"`
	Text      string            `json:"text,omitempty"`
	Bytes     []byte            `json:"bytes,omitempty"`
	Value     gojson.RawMessage `json:"value,omitempty"`
	Refused   bool              `json:"refused,omitempty"`
	Ambiguous bool              `json:"ambiguous,omitempty"`
}

// Whether two keys of a map, such as 1 and "1", have the same text in JSON.
func collides(v interface{}) bool {
	switch v := v.(type) {
	case map[interface{}]interface{}:
		names := map[string]bool{}
		for key, value := range v {
			// Within a map that has no other key.
			text, err := goyaml.Marshal(map[interface{}]interface{}{key: 0})
			if err == nil {
				text, err = sigsyaml.YAMLToJSON(text)
			}
			if err == nil && names[string(text)] || collides(value) {
				return true
			}
			names[string(text)] = true
		}
	case []interface{}:
		for _, item := range v {
			if collides(item) {
				return true
			}
		}
	}
	return false
}

func ambiguous(text []byte) bool {
	var v interface{}
	return goyaml.Unmarshal(text, &v) == nil && collides(v)
}

// A value as kubectl has it in an unstructured object, and as it writes it.
func settled(text []byte) (gojson.RawMessage, error) {
	var v interface{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, &v); err != nil {
		return nil, err
	}
	return gojson.Marshal(v)
}

func document(text []byte) (gojson.RawMessage, error) {
	out, err := sigsyaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	return settled(out)
}

// The loop of cli-runtime's StreamVisitor.
func stream(text []byte) (gojson.RawMessage, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	all := []gojson.RawMessage{}
	for {
		var raw runtime.RawExtension
		if err := decoder.Decode(&raw); err != nil {
			if err == io.EOF {
				return gojson.Marshal(all)
			}
			return nil, err
		}
		raw.Raw = bytes.TrimSpace(raw.Raw)
		if len(raw.Raw) == 0 || bytes.Equal(raw.Raw, []byte("null")) {
			continue
		}
		value, err := settled(raw.Raw)
		if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
}

func kubeconfig(text []byte) (gojson.RawMessage, error) {
	config, err := clientcmd.Load(text)
	if err != nil {
		return nil, err
	}
	var out clientcmdv1.Config
	if err := clientcmdv1.Convert_api_Config_To_v1_Config(config, &out, nil); err != nil {
		return nil, err
	}
	return gojson.Marshal(out)
}

var why = flag.Bool("why", false, "print why texts are refused")

func refuse(l *line, reason any) {
	l.Refused = true
	if *why {
		fmt.Fprintf(os.Stderr, "%q: %v\n", l.Text, reason)
	}
}

func judge(l *line) {
	defer func() {
		if r := recover(); r != nil {
			refuse(l, r)
		}
	}()
	readings := map[string]func([]byte) (gojson.RawMessage, error){"document": document, "stream": stream, "kubeconfig": kubeconfig}
	read := readings[l.As]
	text := []byte(l.Text)
	if l.Bytes != nil {
		text = l.Bytes
	}
	value, err := read(text)
	if err != nil {
		refuse(l, err)
		return
	}
	l.Value = value
	for _, part := range bytes.Split(text, []byte("\n---")) {
		l.Ambiguous = l.Ambiguous || ambiguous(part)
	}
	if l.Ambiguous {
		l.Value = nil // another one each time
	}
}

func main() {
	flag.Parse()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<30)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := gojson.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		var l line
		if err := gojson.Unmarshal(in.Bytes(), &l); err != nil {
			panic(err)
		}
		l.Value, l.Refused, l.Ambiguous = nil, false, false
		judge(&l)
		if err := encoder.Encode(l); err != nil {
			panic(err)
		}
	}
	if err := in.Err(); err != nil {
		panic(err)
	}
}

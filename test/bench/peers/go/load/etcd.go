package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// etcd writes objects under the API server's feet, as the other API servers of a cluster do: the measured one only sees
// the change and tells its watchers. A write through it costs it milliseconds, many times what a watcher does.
type etcd struct {
	url    string
	prefix string
	stored map[string][]byte
}

// The annotation in the protobuf form in which the API server stores built-in kinds.
var storedStamp = regexp.MustCompile("bench\\.example\\.com/stamp\x12\x13[0-9]{19}")

func openEtcd(ctx context.Context, url, resource, namespace string) (*etcd, error) {
	e := &etcd{url: url, prefix: "/registry/" + resource + "/" + namespace + "/", stored: map[string][]byte{}}
	var found struct {
		Kvs []struct{ Key, Value []byte }
	}
	end := strings.TrimSuffix(e.prefix, "/") + "0" // the character after the slash
	if err := e.post(ctx, "/v3/kv/range", map[string]any{"key": []byte(e.prefix), "range_end": []byte(end)}, &found); err != nil {
		return nil, err
	}
	for _, pair := range found.Kvs {
		if storedStamp.Match(pair.Value) {
			e.stored[strings.TrimPrefix(string(pair.Key), e.prefix)] = pair.Value
		}
	}
	if len(e.stored) == 0 {
		return nil, fmt.Errorf("etcd has nothing with a stamp in %s", e.prefix)
	}
	return e, nil
}

func (e *etcd) names() []string {
	names := make([]string, 0, len(e.stored))
	for name := range e.stored {
		names = append(names, name)
	}
	return names
}

func (e *etcd) touch(ctx context.Context, name string) (answered, error) {
	value := bytes.Clone(e.stored[name])
	at := storedStamp.FindIndex(value)
	write := answered{stamp: monotonic()}
	copy(value[at[1]-19:at[1]], fmt.Sprintf("%019d", write.stamp))
	err := e.post(ctx, "/v3/kv/put", map[string]any{"key": []byte(e.prefix + name), "value": value}, &struct{}{})
	write.at = monotonic()
	return write, err
}

func (e *etcd) post(ctx context.Context, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd answers %s: %s", path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(into)
}

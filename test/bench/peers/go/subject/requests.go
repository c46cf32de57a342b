package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
)

// requests counts the lists (including those that begin a watch) and rejects an answer in another encoding than the
// mode names, so that a figure cannot be another mode's by mistake.
type requests struct {
	next     http.RoundTripper
	encoding string
	lists    atomic.Int64
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	r.next = next
	return r
}

func (r *requests) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	if query.Get("watch") == "" || query.Get("sendInitialEvents") == "true" {
		r.lists.Add(1)
	}
	response, err := r.next.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	if encoding := response.Header.Get("Content-Type"); !strings.HasPrefix(encoding, r.encoding) {
		_ = response.Body.Close()
		return nil, fmt.Errorf("the server answered in %q instead of %q", encoding, r.encoding)
	}
	return response, nil
}

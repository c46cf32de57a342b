// client-go as a subject of the bench's requests: gets, creates and watches of config maps by a typed client. Commands come
// from stdin, one per line, and each is answered by a line of JSON on stdout; test/bench/README.md describes them.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
)

type answer map[string]any

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the cluster")
	form := flag.String("form", "protobuf", "the form of bodies and answers: protobuf or json")
	flag.String("resource", "configmaps", "only configmaps")
	flag.Parse()

	objects, err := connect(*kubeconfig, *form)
	if err != nil {
		fail(err)
	}
	w := newWork(objects, os.Getpid())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		if words[0] == "quit" {
			return
		}
		line, err := carryOut(w, words)
		if err != nil {
			line = answer{"error": err.Error()}
		}
		say(line)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "client-go requests:", err)
	os.Exit(1)
}

func say(line answer) {
	text, err := json.Marshal(line)
	if err != nil {
		fail(err)
	}
	if _, err := os.Stdout.Write(append(text, '\n')); err != nil {
		fail(err)
	}
}

// connect makes a client without the client-side rate limit. DISABLE_HTTP2 in the environment leaves HTTP/1.1.
func connect(kubeconfig, form string) (corev1.ConfigMapInterface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	if form == "protobuf" {
		config.ContentType = runtime.ContentTypeProtobuf
		config.AcceptContentTypes = runtime.ContentTypeProtobuf
	} else {
		config.ContentType = runtime.ContentTypeJSON
		config.AcceptContentTypes = runtime.ContentTypeJSON
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return client.CoreV1().ConfigMaps("default"), nil
}

func carryOut(w *work, words []string) (answer, error) {
	numbers := [2]int{}
	for i, word := range words[1:] {
		if i == len(numbers) {
			return nil, fmt.Errorf("too many numbers")
		}
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		numbers[i] = n
	}
	ctx := context.Background()
	switch words[0] {
	case "get":
		return w.many(ctx, numbers[0], numbers[1], w.get)
	case "create":
		return w.many(ctx, numbers[0], numbers[1], w.create)
	case "watch":
		return w.watch(ctx, numbers[0])
	case "events":
		return w.events(numbers[0])
	case "settle":
		debug.FreeOSMemory()
		debug.FreeOSMemory()
		return answer{"settled": true}, nil
	}
	return nil, fmt.Errorf("unknown command: %q", words[0])
}

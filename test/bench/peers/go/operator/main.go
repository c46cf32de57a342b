// Operators with controller-runtime, for the bench of controllers: see test/bench/README.md, "Controllers".
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const usage = "usage: go_operator KUBECONFIG reconcile OBJECTS CONTROLLERS | idle | agent NODE | lead LEASE"

type answer map[string]any

func main() {
	log.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	words := os.Args[1:]
	if len(words) < 2 {
		fail(fmt.Errorf("%s", usage))
	}
	config, err := clientcmd.BuildConfigFromFlags("", words[0])
	must(err)
	config.QPS = -1 // the bench measures no throttling
	switch role, rest := words[1], words[2:]; {
	case role == "reconcile" && len(rest) == 2:
		reconcileAll(config, number(rest[0]), number(rest[1]))
	case role == "idle" && len(rest) == 0:
		idle(config)
	case role == "agent" && len(rest) == 1:
		agent(config, rest[0])
	case role == "lead" && len(rest) == 1:
		lead(config, rest[0])
	default:
		fail(fmt.Errorf("%s", usage))
	}
}

// commands calls each with the words of every line of standard input.
func commands(each func(words []string)) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		each(strings.Fields(lines.Text()))
	}
}

func say(a answer) {
	line, err := json.Marshal(a)
	must(err)
	fmt.Println(string(line))
}

func number(word string) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	must(err)
	return n
}

func must(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "go_operator:", err)
	os.Exit(1)
}

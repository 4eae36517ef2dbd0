// Runs histories on Pulumi's engine, in this process, or with the command line whose path is the argument. Reads one history per line (JSON) from standard input, and
// writes one trace per line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	recorder, err := serveRecorder()
	if err != nil {
		return err
	}
	pulumi := ""
	if len(os.Args) > 1 {
		pulumi = os.Args[1]
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var history History
		if err := json.Unmarshal(in.Bytes(), &history); err != nil {
			return fmt.Errorf("a history isn't valid JSON: %w", err)
		}
		stack, err := newStack(recorder, pulumi)
		if err != nil {
			return err
		}
		traces := make([]Trace, 0, len(history.Operations))
		for _, operation := range history.Operations {
			trace, err := stack.run(operation)
			if err != nil {
				return err
			}
			traces = append(traces, trace)
			if trace.isBroken() {
				break
			}
		}
		if err := stack.leave(); err != nil {
			return err
		}
		if err := out.Encode(traces); err != nil {
			return err
		}
	}
	return in.Err()
}

// One binary that holds every Kubernetes server and etcd: they share nearly all
// of their code, so building them together costs little more than building one.
//
// Usage: kubernetes kube-apiserver|kubelet|etcd|... [flags]
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// Only the chosen command is made: each constructor registers global flags.
var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-proxy":              proxy.NewProxyCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubelet":                 newKubelet,
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: kubernetes SERVER|etcd [flags]")
		os.Exit(2)
	}
	name := os.Args[1]
	os.Args = append([]string{name}, os.Args[2:]...)

	switch command, known := commands[name]; {
	case name == "etcd":
		etcdmain.Main(os.Args)
	case known:
		os.Exit(cli.Run(command()))
	default:
		fmt.Fprintf(os.Stderr, "kubernetes: no server is called %q\n", name)
		os.Exit(2)
	}
}

// The network policy controller of kube-router, without its proxy and its
// routes: kube-proxy and the local cluster's own routes do their work.
//
// Usage: kube-router --kubeconfig=FILE --hostname-override=NODE [flags of kube-router]
package main

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"github.com/spf13/pflag"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// heartbeats that the health server has not read yet
const heartbeats = 10

func main() {
	klog.InitFlags(nil)
	config := options.NewKubeRouterConfig()
	config.AddFlags(pflag.CommandLine)
	pflag.Parse()
	if err := run(config); err != nil {
		klog.Fatal(err)
	}
}

func run(config *options.KubeRouterConfig) error {
	access, err := clientcmd.BuildConfigFromFlags(config.Master, config.Kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(access)
	if err != nil {
		return err
	}
	health, err := healthcheck.NewHealthController(config)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	var running sync.WaitGroup
	beats := make(chan *healthcheck.ControllerHeartbeat, heartbeats)
	running.Add(1)
	go health.RunServer(stop, &running)
	controller, err := newController(client, config, stop)
	if err != nil {
		return err
	}
	health.SetAlive()
	running.Add(2)
	go health.RunCheck(beats, stop, &running)
	go controller.Run(beats, stop, &running)

	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
	close(stop)
	running.Wait()
	return nil
}

// newController returns a controller that knows all pods and policies of the cluster, but has set no rule yet.
func newController(
	client kubernetes.Interface, config *options.KubeRouterConfig, stop <-chan struct{},
) (*netpol.NetworkPolicyController, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	policies := factory.Networking().V1().NetworkPolicies().Informer()
	namespaces := factory.Core().V1().Namespaces().Informer()
	factory.Start(stop)
	for kind, synced := range factory.WaitForCacheSync(stop) {
		if !synced {
			return nil, errors.New("the list was not read: " + kind.String())
		}
	}
	tables, sets, err := netpol.NewIPTablesHandlers(config)
	if err != nil {
		return nil, err
	}
	controller, err := netpol.NewNetworkPolicyController(
		client, config, pods, policies, namespaces, &sync.Mutex{}, tables, sets)
	if err != nil {
		return nil, err
	}
	if _, err := pods.AddEventHandler(controller.PodEventHandler); err != nil {
		return nil, err
	}
	if _, err := policies.AddEventHandler(controller.NetworkPolicyEventHandler); err != nil {
		return nil, err
	}
	_, err = namespaces.AddEventHandler(controller.NamespaceEventHandler)
	return controller, err
}

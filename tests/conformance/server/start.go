package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// start brings up storage and server in this process, on loopback.
func start(dir string) (*restclient.Config, func(), error) {
	endpoint, stopStorage, err := startStorage(filepath.Join(dir, "storage"))
	if err != nil {
		return nil, nil, err
	}
	// The server wants a file for delegated authentication. It is never asked: the only client has the loopback token.
	unused := filepath.Join(dir, "unused.kubeconfig")
	if err := clientcmd.WriteToFile(kubeconfigFor(&restclient.Config{Host: "http://127.0.0.1:1"}), unused); err != nil {
		stopStorage()
		return nil, nil, err
	}
	s, err := servertesting.StartTestServer(quiet{}, nil, []string{
		"--bind-address", "127.0.0.1",
		"--etcd-servers", endpoint,
		"--authentication-skip-lookup",
		"--authentication-kubeconfig", unused,
		"--authorization-kubeconfig", unused,
		"--kubeconfig", unused,
		"--enable-priority-and-fairness=false",
		// These ask the core API server, which there is none of here.
		"--disable-admission-plugins", "NamespaceLifecycle,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,ValidatingAdmissionPolicy,MutatingAdmissionPolicy",
	}, nil)
	if err != nil {
		stopStorage()
		return nil, nil, err
	}
	return s.ClientConfig, func() { s.TearDownFn(); stopStorage() }, nil
}

func startStorage(dir string) (string, func(), error) {
	client, err := freeURL()
	if err != nil {
		return "", nil, err
	}
	peer, err := freeURL()
	if err != nil {
		return "", nil, err
	}
	cfg := embed.NewConfig()
	cfg.Dir, cfg.LogLevel, cfg.UnsafeNoFsync = dir, "fatal", true
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		return "", nil, err
	}
	select {
	case <-e.Server.ReadyNotify():
		return client.String(), e.Close, nil
	case <-time.After(time.Minute):
		e.Close()
		return "", nil, fmt.Errorf("storage is not ready after a minute")
	}
}

func freeURL() (url.URL, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return url.URL{}, err
	}
	defer l.Close()
	return url.URL{Scheme: "http", Host: l.Addr().String()}, nil
}

// quiet is the logger that the server's starter asks for.
type quiet struct{}

func (quiet) Errorf(f string, a ...any) { fmt.Fprintf(os.Stderr, f+"\n", a...) }
func (quiet) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }
func (quiet) Logf(string, ...any)       {}

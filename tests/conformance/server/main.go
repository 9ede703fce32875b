// Command server runs the real apiextensions API server on a free loopback port, with its storage in the same
// process. Nothing of it outlives the program.
//
//	server serve [FILE...]     create the definitions in the files, print how to reach the server as one JSON line, and run until
//	                           standard input ends
//	server ask                 answer requests, one JSON object a line of standard input
//
// See README.md for the lines that it reads and prints.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("usage: server {serve [FILE...]|ask}")
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	limit := fs.Duration("timeout", 10*time.Minute, "end after this time, whatever happens")
	verbose := fs.Bool("v", false, "let the server log to standard error")
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	if !*verbose {
		klog.SetLogger(logr.Discard())
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), *limit, fmt.Errorf("not done after %s", *limit))
	defer cancel()
	ctx, stopSignals := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stopSignals()
	// Who asked may be gone: then writing fails, and the folder is removed as at any other end.
	signal.Ignore(syscall.SIGPIPE)

	dir, err := os.MkdirTemp("", "crd-analyzer-server")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	config, stop, err := start(dir)
	if err != nil {
		return err
	}
	defer stop()
	client, err := newClient(ctx, config)
	if err != nil {
		return err
	}

	done := make(chan error, 1)
	switch args[0] {
	case "serve":
		go func() { done <- serve(client, config, dir, fs.Args()) }()
	case "ask":
		go func() { done <- answerAll(client, os.Stdin, os.Stdout) }()
	default:
		return fmt.Errorf("no command %q", args[0])
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return context.Cause(ctx)
		}
		return nil
	}
}

func serve(client *client, config *restclient.Config, dir string, files []string) error {
	for _, file := range files {
		docs, err := documents(file)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if kindOf(doc).Kind != "CustomResourceDefinition" {
				continue
			}
			if _, err := client.define(doc); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(kubeconfigFor(config), kubeconfig); err != nil {
		return err
	}
	err := json.NewEncoder(os.Stdout).Encode(map[string]string{"url": config.Host, "kubeconfig": kubeconfig, "context": contextName})
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func answerAll(client *client, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			var asked request
			if err := json.Unmarshal(line, &asked); err != nil {
				return fmt.Errorf("not a request: %w", err)
			}
			answer := client.answer(asked)
			answer.ID = asked.ID
			if err := enc.Encode(answer); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return client.undefine()
		}
		if err != nil {
			return err
		}
	}
}

const contextName = "loopback"

func kubeconfigFor(c *restclient.Config) clientcmdapi.Config {
	k := clientcmdapi.NewConfig()
	k.Clusters[contextName] = &clientcmdapi.Cluster{Server: c.Host, CertificateAuthorityData: c.CAData, TLSServerName: c.ServerName}
	k.AuthInfos[contextName] = &clientcmdapi.AuthInfo{Token: c.BearerToken}
	k.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName}
	k.CurrentContext = contextName
	return *k
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	restclient "k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// client speaks to the server, and knows the one definition that is there at a time.
type client struct {
	ctx  context.Context
	base string
	http *http.Client

	defined   string // its name, empty if there is none
	definedBy string // the text that it was made from, if resources are sent by it
	crd       *apiextensionsv1.CustomResourceDefinition
}

func newClient(ctx context.Context, config *restclient.Config) (*client, error) {
	c, err := restclient.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	c.Timeout = time.Minute
	return &client{ctx: ctx, base: config.Host, http: c}, nil
}

func (c *client) exchange(method, path string, body []byte) (int, []byte, []string, error) {
	kind := "application/yaml"
	if method == http.MethodPatch {
		kind = "application/merge-patch+json"
	}
	req, err := http.NewRequestWithContext(c.ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	warnings := []string{}
	headers, _ := utilnet.ParseWarningHeaders(resp.Header["Warning"])
	for _, it := range headers {
		warnings = append(warnings, it.Text)
	}
	return resp.StatusCode, b, warnings, err
}

// wait asks again and again until something holds, but not for ever.
func (c *client) wait(what string, holds func() bool) error {
	for begin := time.Now(); time.Since(begin) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		if holds() {
			return nil
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s after 20 s", what)
}

// define creates a definition and waits until all its versions are served.
func (c *client) define(doc []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	a := c.sendAs(http.MethodPost, definitionsPath, string(doc), "Ignore")
	if a.Code >= 300 || a.Skipped != "" {
		return nil, fmt.Errorf("%d %s %s", a.Code, a.Message, a.Skipped)
	}
	c.defined = nameOf(a.Object)
	crd := &apiextensionsv1.CustomResourceDefinition{}
	err := c.wait(c.defined+" is not established", func() bool {
		_, b, _, err := c.exchange(http.MethodGet, definitionsPath+"/"+c.defined, nil)
		if err != nil || json.Unmarshal(b, crd) != nil {
			return false
		}
		for _, it := range crd.Status.Conditions {
			if it.Type == apiextensionsv1.Established && it.Status == apiextensionsv1.ConditionTrue {
				return true
			}
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	for _, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		path := fmt.Sprintf("/apis/%s/%s/%s?limit=1", crd.Spec.Group, v.Name, crd.Spec.Names.Plural)
		err := c.wait(path+" is not served", func() bool {
			code, _, _, err := c.exchange(http.MethodGet, path, nil)
			return err == nil && code == http.StatusOK
		})
		if err != nil {
			return nil, err
		}
	}
	return crd, nil
}

// undefine takes the definition away, and waits until its name is free.
func (c *client) undefine() error {
	if c.defined == "" {
		return nil
	}
	path := definitionsPath + "/" + c.defined
	if _, _, _, err := c.exchange(http.MethodDelete, path, nil); err != nil {
		return err
	}
	// The server's own finalizer waits for objects, and there are none.
	c.release(path)
	err := c.wait(c.defined+" is still there", func() bool {
		code, _, _, err := c.exchange(http.MethodGet, path, nil)
		return err == nil && code == http.StatusNotFound
	})
	c.defined, c.definedBy, c.crd = "", "", nil
	return err
}

// remove takes an object away.
func (c *client) remove(path, name string) {
	if name == "" {
		return
	}
	c.release(path + "/" + name)
	_, _, _, _ = c.exchange(http.MethodDelete, path+"/"+name, nil)
}

// release drops the finalizers that a request brought, which would keep an object for ever.
func (c *client) release(path string) {
	_, b, _, err := c.exchange(http.MethodGet, path, nil)
	if err == nil && len(kindOf(b).finalizers()) > 0 {
		_, _, _, _ = c.exchange(http.MethodPatch, path, []byte(`{"metadata":{"finalizers":null}}`))
	}
}

// typed is what an object says it is.
type typed struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        struct {
		Name            string `json:"name"`
		Namespace       string `json:"namespace"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Status any `json:"status"`
	raw    []byte
	unread bool // it does not say what it is
}

// identity is what an update may not change.
func (t typed) identity() string {
	return fmt.Sprintf("%s %s %s/%s", t.APIVersion, t.Kind, t.Metadata.Namespace, t.Metadata.Name)
}

func (t typed) finalizers() []string {
	var m struct {
		Metadata struct {
			Finalizers []string `json:"finalizers"`
		} `json:"metadata"`
	}
	_ = json.Unmarshal(t.raw, &m)
	return m.Metadata.Finalizers
}

func kindOf(doc []byte) (t typed) {
	t.unread = yaml.Unmarshal(doc, &t) != nil
	t.raw = doc
	return t
}

func nameOf(object []byte) string {
	if len(object) == 0 {
		return ""
	}
	return kindOf(object).Metadata.Name
}

func documents(path string) ([][]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	var out [][]byte
	for {
		d, err := r.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
}

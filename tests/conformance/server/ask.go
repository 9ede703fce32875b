package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// versionMark stands in the text of an update for the version of what is stored, which nobody knows before.
const versionMark = "STORED-RESOURCE-VERSION"

// request is one document to send. Without a definition it is one itself.
type request struct {
	ID      string `json:"id"`
	CRDText string `json:"crd_text"`
	Text    string `json:"text"`
	OldText string `json:"old_text"` // stored before: the request is then an update
	Status  bool   `json:"status"`   // update the status subresource
}

type cause struct {
	Type    string `json:"type"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// answer is what the server said.
type answer struct {
	ID string `json:"id"`
	// Skipped: why the request could not be sent at all.
	Skipped string `json:"skipped,omitempty"`
	// Strict is the message of the refusal by strict field validation. The rest is then the answer without it.
	Strict   string          `json:"strict,omitempty"`
	Code     int             `json:"code,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Message  string          `json:"message,omitempty"`
	Causes   []cause         `json:"causes"`
	Warnings []string        `json:"warnings"`
	Object   json.RawMessage `json:"object,omitempty"` // what is stored then
}

func skipped(format string, args ...any) answer {
	return answer{Skipped: fmt.Sprintf(format, args...)}
}

func (c *client) answer(r request) answer {
	if r.CRDText == "" {
		return c.answerDefinition(r)
	}
	return c.answerResource(r)
}

func (c *client) answerDefinition(r request) answer {
	if err := c.undefine(); err != nil {
		return skipped("%v", err)
	}
	if r.OldText == "" {
		a := c.send(http.MethodPost, definitionsPath, r.Text)
		if name := nameOf(a.Object); name != "" {
			c.defined = name
		}
		return a
	}
	old, err := c.define([]byte(r.OldText))
	if err != nil {
		return skipped("old: %v", err)
	}
	if now := kindOf([]byte(r.Text)); !now.unread && now.Metadata.Name != old.Name {
		return skipped("update of %s renames it to %q", old.Name, now.Metadata.Name)
	}
	return c.update(definitionsPath+"/"+old.Name, r.Text)
}

func (c *client) answerResource(r request) answer {
	if r.CRDText != c.definedBy {
		if err := c.undefine(); err != nil {
			return skipped("%v", err)
		}
		crd, err := c.define([]byte(r.CRDText))
		if err != nil {
			return skipped("definition: %v", err)
		}
		c.definedBy, c.crd = r.CRDText, crd
	}
	t := kindOf([]byte(r.Text))
	if r.OldText != "" {
		t = kindOf([]byte(r.OldText))
	}
	path, status, err := c.pathOf(t)
	if err != nil {
		return skipped("%v", err)
	}
	if now := kindOf([]byte(r.Text)); !now.unread && now.identity() != t.identity() {
		return skipped("update of %s to %s", t.identity(), now.identity())
	}
	if r.OldText == "" {
		a := c.send(http.MethodPost, path, r.Text)
		c.remove(path, nameOf(a.Object))
		return a
	}
	old := c.sendAs(http.MethodPost, path, r.OldText, "Ignore")
	name := nameOf(old.Object)
	defer c.remove(path, name)
	if name == "" {
		return skipped("old: %d %s", old.Code, old.Message)
	}
	if status && t.Status != nil {
		// Creating drops the status that there is a subresource for.
		if a := c.update(path+"/"+name+"/status", withMark(r.OldText)); a.Code >= 300 {
			return skipped("old status: %d %s", a.Code, a.Message)
		}
	}
	path += "/" + name
	if r.Status {
		path += "/status"
	}
	return c.update(path, r.Text)
}

// pathOf is where objects of a type are created, and whether they have a status subresource.
func (c *client) pathOf(t typed) (path string, status bool, err error) {
	group, version, _ := strings.Cut(t.APIVersion, "/")
	spec := c.crd.Spec
	if group != spec.Group || t.Kind != spec.Names.Kind {
		return "", false, fmt.Errorf("%s %s is of another kind than the definition's", t.APIVersion, t.Kind)
	}
	for _, v := range spec.Versions {
		if v.Name != version || !v.Served {
			continue
		}
		path = fmt.Sprintf("/apis/%s/%s/", group, version)
		if spec.Scope == apiextensionsv1.NamespaceScoped {
			ns := t.Metadata.Namespace
			if ns == "" {
				ns = metav1.NamespaceDefault
			}
			path += "namespaces/" + ns + "/"
		}
		return path + spec.Names.Plural, v.Subresources != nil && v.Subresources.Status != nil, nil
	}
	return "", false, fmt.Errorf("version %s is not served", version)
}

// update replaces what is at the path, by its version at the moment.
func (c *client) update(path, text string) answer {
	for i := 0; ; i++ {
		_, stored, _, err := c.exchange(http.MethodGet, strings.TrimSuffix(path, "/status"), nil)
		if err != nil {
			return skipped("%v", err)
		}
		version := kindOf(stored).Metadata.ResourceVersion
		a := c.send(http.MethodPut, path, strings.ReplaceAll(text, versionMark, version))
		// Controllers may have written in between.
		if a.Code != http.StatusConflict || i == 20 {
			return a
		}
	}
}

// send asks with strict field validation. What that refuses is sent again without, for the errors behind it.
func (c *client) send(method, path, text string) answer {
	a := c.sendAs(method, path, text, "Strict")
	if a.Code != http.StatusBadRequest || !strings.Contains(a.Message, "strict decoding error") {
		return a
	}
	strict := a.Message
	a = c.sendAs(method, path, text, "Ignore")
	a.Strict = strict
	return a
}

func (c *client) sendAs(method, path, text, validation string) answer {
	code, body, warnings, err := c.exchange(method, path+"?fieldValidation="+validation, []byte(text))
	if err != nil {
		return skipped("%v", err)
	}
	a := answer{Code: code, Causes: []cause{}, Warnings: warnings}
	if code < 300 {
		a.Object = body
		return a
	}
	var st metav1.Status
	if err := json.Unmarshal(body, &st); err != nil {
		a.Message = string(body)
		return a
	}
	a.Reason, a.Message = string(st.Reason), st.Message
	if st.Details != nil {
		for _, it := range st.Details.Causes {
			a.Causes = append(a.Causes, cause{string(it.Type), it.Field, it.Message})
		}
	}
	return a
}

// withMark is an object in JSON with the mark of the stored version.
func withMark(text string) string {
	var m map[string]any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&m) != nil {
		return text
	}
	if meta, ok := m["metadata"].(map[string]any); ok {
		meta["resourceVersion"] = versionMark
	}
	b, err := json.Marshal(m)
	if err != nil {
		return text
	}
	return string(b)
}

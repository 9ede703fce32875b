// Command policies answers, for any ValidatingAdmissionPolicy, what the API
// server of the linked Kubernetes version answers to a request that creates it.
// It prints the lines that ../oracle prints for CRDs.
//
//	policies policy -list -     one request a line: a path, or {"id", "text"}
//	policies version
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	registry "k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
)

const group, kind = "admissionregistration.k8s.io", "ValidatingAdmissionPolicy"

var versions = []string{"v1", "v1beta1"}

// alpha is a version that API servers have only if somebody turns it on: nothing is said about it.
const alpha = "v1alpha1"

type result struct {
	File           string       `json:"file"`
	Doc            int          `json:"doc"`
	Name           string       `json:"name"`
	K8s            string       `json:"k8s"`
	DecodeError    *string      `json:"decode_error"`
	Strict         []string     `json:"strict"`
	Accepted       bool         `json:"accepted"`
	AcceptedStrict bool         `json:"accepted_strict"`
	Errors         []fieldError `json:"errors"`
	OtherError     string       `json:"other_error,omitempty"`
	Warnings       []string     `json:"warnings"`
}

type request struct {
	File string `json:"file,omitempty"`
	ID   string `json:"id,omitempty"`
	Text string `json:"text,omitempty"`
}

var (
	optSort  = true
	k8sMinor = minor()
)

func minor() string {
	bi, ok := debug.ReadBuildInfo()
	if ok {
		for _, m := range bi.Deps {
			if p := strings.SplitN(m.Version, ".", 3); m.Path == "k8s.io/kubernetes" && len(p) == 3 {
				return "1." + p[1]
			}
		}
	}
	return "unknown"
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: policies {policy|version} [-list FILE] [FILE...]")
		os.Exit(2)
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	list := flags.String("list", "", "file with one request per line, - for standard input")
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	_ = flags.Parse(os.Args[2:])
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer w.Flush()
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	emit := func(v any) { check(enc.Encode(v)) }
	if os.Args[1] == "version" {
		emit(map[string]any{"k8s": k8sMinor, "cel_compatibility_version": environment.DefaultCompatibilityVersion().String()})
		return
	}
	for _, file := range flags.Args() {
		handle(request{File: file}, emit)
	}
	if *list == "" {
		return
	}
	in := io.Reader(os.Stdin)
	if *list != "-" {
		f, err := os.Open(*list)
		check(err)
		defer f.Close()
		in = f
	}
	br := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := br.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			req := request{File: string(line)}
			if line[0] == '{' {
				req = request{}
				check(json.Unmarshal(line, &req))
			}
			handle(req, emit)
			if br.Buffered() == 0 {
				check(w.Flush())
			}
		}
		if err != nil {
			return
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "policies:", err)
		os.Exit(1)
	}
}

func handle(req request, emit func(any)) {
	label := req.File
	if label == "" {
		label = req.ID
	}
	defer func() {
		if p := recover(); p != nil {
			emit(map[string]any{"file": label, "k8s": k8sMinor, "panic": fmt.Sprint(p), "stack": string(debug.Stack())})
		}
	}()
	data, err := readText(req.File, req.Text)
	check(err)
	docs, err := splitDocuments(data)
	if err != nil {
		msg := err.Error()
		emit(result{File: label, K8s: k8sMinor, DecodeError: &msg, Strict: []string{}, Errors: []fieldError{}, Warnings: []string{}})
		return
	}
	for _, d := range docs {
		if isPolicy(d.head) {
			res := judge(d)
			res.File = label
			emit(res)
		}
	}
}

// isPolicy tells the documents that are asked about from others.
func isPolicy(h typeHead) bool {
	gv, err := schema.ParseGroupVersion(h.APIVersion)
	return h.Kind == kind && err == nil && gv.Group == group && gv.Version != alpha
}

// served says whether an API server of the linked version can have this version of the kind.
func served(gv schema.GroupVersion) bool {
	if !slices.Contains(versions, gv.Version) || !legacyscheme.Scheme.IsVersionRegistered(gv) {
		return false
	}
	obj, err := legacyscheme.Scheme.New(gv.WithKind(kind))
	if err != nil {
		return false
	}
	removed, ok := obj.(interface{ APILifecycleRemoved() (int, int) })
	if !ok {
		return true
	}
	_, at := removed.APILifecycleRemoved()
	now, _ := strconv.Atoi(strings.TrimPrefix(k8sMinor, "1."))
	return now < at
}

// decode reads a document as the create handler does.
func decode(d document) (policy *admissionregistration.ValidatingAdmissionPolicy, gvk schema.GroupVersionKind, strict []string, fail string) {
	strict = []string{}
	gv, _ := schema.ParseGroupVersion(d.head.APIVersion)
	if !served(gv) {
		return nil, gvk, strict, fmt.Sprintf("no matches for kind %q in version %q", kind, d.head.APIVersion)
	}
	gvk = gv.WithKind(kind)
	info, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeYAML)
	hub := schema.GroupVersion{Group: group, Version: runtime.APIVersionInternal}
	decoder := legacyscheme.Codecs.DecoderToVersion(info.StrictSerializer, hub)
	want := gvk
	obj, actual, err := decoder.Decode(d.body, &want, &admissionregistration.ValidatingAdmissionPolicy{})
	if err != nil {
		se, ok := runtime.AsStrictDecodingError(err)
		if !ok || obj == nil {
			if actual != nil && len(actual.Kind) > 0 {
				return nil, gvk, strict, fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", actual.Kind, actual.Version, kind, err)
			}
			return nil, gvk, strict, fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v", kind, err)
		}
		for _, e := range se.Errors() {
			strict = append(strict, e.Error())
		}
	}
	policy, ok := obj.(*admissionregistration.ValidatingAdmissionPolicy)
	if !ok {
		return nil, gvk, strict, fmt.Sprintf("decoded as %T", obj)
	}
	return policy, gvk, strict, ""
}

type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) {
	if text != "" && !slices.Contains(r.texts, text) {
		r.texts = append(r.texts, text)
	}
}

func judge(d document) result {
	res := result{Doc: d.index, Name: d.head.Metadata.Name, K8s: k8sMinor, Errors: []fieldError{}, Warnings: []string{}}
	policy, gvk, strict, fail := decode(d)
	res.Strict = strict
	if fail != "" {
		res.DecodeError = &fail
		return res
	}
	rec := &recorder{texts: []string{}}
	ctx := warning.WithWarningRecorder(genericapirequest.WithNamespace(context.Background(), ""), rec)
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIPrefix: "apis", APIGroup: group, APIVersion: gvk.Version,
		Resource: "validatingadmissionpolicies", Name: policy.Name,
	})
	if versioned, err := legacyscheme.Scheme.New(gvk); err == nil {
		now, _ := strconv.Atoi(strings.TrimPrefix(k8sMinor, "1."))
		if deprecation.IsDeprecated(versioned, 1, now) {
			versioned.GetObjectKind().SetGroupVersionKind(gvk)
			rec.AddWarning("", deprecation.WarningMessage(versioned))
		}
	}
	m, err := meta.Accessor(policy)
	check(err)
	rest.WipeObjectMetaSystemFields(m)
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForScope("", false), m); err != nil {
		res.OtherError = err.Error()
		return res
	}
	m.SetManagedFields(nil)
	rest.FillObjectMetaSystemFields(m)
	if m.GetName() == "" && m.GetGenerateName() != "" {
		m.SetName(m.GetGenerateName() + "00000")
	}
	// The strategy as it is, because the registry looks for optional interfaces. Asked alone, it gives details unrendered.
	strategy := registry.NewStrategy(nil, nil)
	details := strategy.Validate(ctx, policy.DeepCopy())
	res.Errors, res.OtherError = fromAPIError(rest.BeforeCreate(strategy, ctx, policy), details)
	res.Warnings = sortStrings(rec.texts)
	res.Errors = sortErrors(res.Errors)
	res.Accepted = len(res.Errors) == 0 && res.OtherError == ""
	res.AcceptedStrict = res.Accepted && len(strict) == 0
	return res
}

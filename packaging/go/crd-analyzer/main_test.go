package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
)

// A release whose program is a script that ends with exit code 7.
func release(t *testing.T) (data []byte, sum string) {
	t.Helper()
	script := "#!/bin/sh\nexit 7\n"
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	files := tar.NewWriter(zipped)
	_ = files.WriteHeader(&tar.Header{Name: "folder/crd-analyzer", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(script))})
	_, _ = files.Write([]byte(script))
	_ = files.Close()
	_ = zipped.Close()
	digest := sha256.Sum256(out.Bytes())
	return out.Bytes(), hex.EncodeToString(digest[:])
}

func serve(t *testing.T, data []byte, sum string) *int {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script")
	}
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.URL.Path != "/v1/crd-analyzer.tar.gz" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(server.Close)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("CRD_ANALYZER_DOWNLOADS", server.URL+"/v1/")
	before := archives
	t.Cleanup(func() { archives = before })
	archives = map[string]archive{runtime.GOOS + "/" + runtime.GOARCH: {"crd-analyzer.tar.gz", sum}}
	return &requests
}

func TestTheProgramIsDownloadedOnce(t *testing.T) {
	data, sum := release(t)
	requests := serve(t, data, sum)
	for range [2]int{} {
		program, err := installed()
		if err != nil {
			t.Fatal(err)
		}
		if code := run(program, nil); code != 7 {
			t.Fatalf("exit code %d", code)
		}
	}
	if *requests != 1 {
		t.Fatalf("%d requests", *requests)
	}
}

func TestAnotherFileIsNotRun(t *testing.T) {
	data, sum := release(t)
	serve(t, append(data, 0), sum)
	_, err := installed()
	if err == nil || !strings.Contains(err.Error(), "but must be "+sum) {
		t.Fatal(err)
	}
	cache, _ := os.UserCacheDir()
	if left, _ := os.ReadDir(cache); len(left) != 0 {
		t.Fatal("something is left in the cache")
	}
}

func TestAMissingFileIsAnError(t *testing.T) {
	data, sum := release(t)
	serve(t, data, sum)
	t.Setenv("CRD_ANALYZER_DOWNLOADS", os.Getenv("CRD_ANALYZER_DOWNLOADS")+"/other")
	if _, err := installed(); err == nil || !strings.Contains(err.Error(), "404") {
		t.Fatal(err)
	}
}

func TestAPlatformWithoutABuildIsNamed(t *testing.T) {
	before := archives
	t.Cleanup(func() { archives = before })
	archives = nil
	if _, err := installed(); err == nil || !strings.Contains(err.Error(), runtime.GOARCH) {
		t.Fatal(err)
	}
}

// Command crd-analyzer runs the crd-analyzer program of this version. The first run downloads it and compares its checksum with the one
// in this module, which Go's checksum database protects. Later runs start the file in the user's cache folder.
//
// CRD_ANALYZER_DOWNLOADS names another address of the release's files, such as a mirror. The checksum decides all the same.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// An archive of the release: its file name, and its SHA-256 in hexadecimal digits.
type archive struct{ name, sum string }

// The largest archive that is read, in bytes.
const largest = 64 << 20

func main() {
	program, err := installed()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crd-analyzer:", err)
		os.Exit(3)
	}
	os.Exit(run(program, os.Args[1:]))
}

// run starts the program and returns its exit code.
func run(program string, args []string) int {
	command := exec.Command(program, args...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	// The terminal sends an interrupt to both; the program decides.
	signal.Ignore(os.Interrupt)
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode()
	default:
		fmt.Fprintln(os.Stderr, "crd-analyzer:", err)
		return 3
	}
}

// installed returns the path of the program, which it downloads if it is not there yet.
func installed() (string, error) {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	wanted, ok := archives[platform]
	if !ok {
		return "", fmt.Errorf("version %s has no build for %s", version, platform)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "crd-analyzer", "programs", wanted.sum)
	name := "crd-analyzer"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	program := filepath.Join(folder, name)
	if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() {
		return program, nil
	}
	from := os.Getenv("CRD_ANALYZER_DOWNLOADS")
	if from == "" {
		from = downloads
	}
	address := strings.TrimSuffix(from, "/") + "/" + wanted.name
	fmt.Fprintln(os.Stderr, "crd-analyzer: downloading", address)
	data, err := download(address)
	if err != nil {
		return "", fmt.Errorf("cannot download %s: %w", address, err)
	}
	if err := verify(data, wanted.sum); err != nil {
		return "", fmt.Errorf("%s: %w", address, err)
	}
	bytes, err := unpack(data, wanted.name, name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", address, err)
	}
	return program, install(bytes, folder, program)
}

func download(address string) ([]byte, error) {
	client := &http.Client{Timeout: 5 * time.Minute}
	answer, err := client.Get(address)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", answer.Status)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, largest+1))
	if err == nil && len(data) > largest {
		err = fmt.Errorf("it is larger than %d bytes", largest)
	}
	return data, err
}

func verify(data []byte, sum string) error {
	found := sha256.Sum256(data)
	if got := hex.EncodeToString(found[:]); got != sum {
		return fmt.Errorf("the checksum is %s, but must be %s", got, sum)
	}
	return nil
}

// unpack returns the bytes of a file of an archive.
func unpack(data []byte, archive, name string) ([]byte, error) {
	if strings.HasSuffix(archive, ".zip") {
		files, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		for _, file := range files.File {
			if path.Base(file.Name) == name {
				opened, err := file.Open()
				if err != nil {
					return nil, err
				}
				defer opened.Close()
				return io.ReadAll(opened)
			}
		}
		return nil, fmt.Errorf("it has no file %s", name)
	}
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(plain); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("it has no file %s", name)
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeReg && path.Base(header.Name) == name {
			return io.ReadAll(files)
		}
	}
}

// install writes the program beside its place, and then moves it there: another run sees the whole file or none.
func install(bytes []byte, folder, program string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(bytes)
	if err := errors.Join(err, file.Chmod(0o755), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), program)
}

class CrdAnalyzer < Formula
  desc "@SUMMARY@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["Apache-2.0", "MIT"]

  on_macos do
    on_arm do
      url "@URL aarch64-apple-darwin@"
      sha256 "@SHA256 aarch64-apple-darwin@"
    end
    on_intel do
      url "@URL x86_64-apple-darwin@"
      sha256 "@SHA256 x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@URL aarch64-unknown-linux-musl@"
      sha256 "@SHA256 aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@URL x86_64-unknown-linux-musl@"
      sha256 "@SHA256 x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "crd-analyzer"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/crd-analyzer.bash" => "crd-analyzer"
    fish_completion.install "completions/crd-analyzer.fish"
    zsh_completion.install "completions/_crd-analyzer"
  end

  test do
    (testpath/"crd.yaml").write "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {}\n"
    assert_match "rejected", shell_output("#{bin}/crd-analyzer check crd.yaml", 1)
  end
end

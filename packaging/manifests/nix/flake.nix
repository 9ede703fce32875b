{
  description = "@SUMMARY@";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      archives = {
        x86_64-linux = { url = "@URL x86_64-unknown-linux-musl@"; sha256 = "@SHA256 x86_64-unknown-linux-musl@"; };
        aarch64-linux = { url = "@URL aarch64-unknown-linux-musl@"; sha256 = "@SHA256 aarch64-unknown-linux-musl@"; };
        x86_64-darwin = { url = "@URL x86_64-apple-darwin@"; sha256 = "@SHA256 x86_64-apple-darwin@"; };
        aarch64-darwin = { url = "@URL aarch64-apple-darwin@"; sha256 = "@SHA256 aarch64-apple-darwin@"; };
      };
    in
    {
      packages = builtins.mapAttrs
        (system: archive:
          let pkgs = nixpkgs.legacyPackages.${system}; in
          {
            default = pkgs.stdenv.mkDerivation {
              pname = "crd-analyzer";
              version = "@VERSION@";
              src = pkgs.fetchurl archive;
              nativeBuildInputs = [ pkgs.installShellFiles ];
              dontBuild = true;
              installPhase = ''
                install -Dm755 crd-analyzer $out/bin/crd-analyzer
                installManPage man/*.1
                installShellCompletion --bash --name crd-analyzer completions/crd-analyzer.bash
                installShellCompletion --fish completions/crd-analyzer.fish
                installShellCompletion --zsh completions/_crd-analyzer
              '';
              meta = {
                description = "@SUMMARY@";
                homepage = "@REPOSITORY@";
                license = with pkgs.lib.licenses; [ asl20 mit ];
                mainProgram = "crd-analyzer";
                platforms = builtins.attrNames archives;
              };
            };
          })
        archives;
    };
}

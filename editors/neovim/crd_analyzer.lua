-- crd-analyzer for Neovim 0.11 and later: put this file into ~/.config/nvim/lsp/ and call `vim.lsp.enable('crd_analyzer')`.
-- What can be set stands in settings['crd-analyzer']; a `.crd-analyzer.yaml` in the repository counts for everybody.
return {
  cmd = { 'crd-analyzer', 'lsp' },
  filetypes = { 'yaml', 'json', 'helm' },
  root_markers = { '.crd-analyzer.yaml', '.crd-analyzer.yml', '.git' },
  settings = { ['crd-analyzer'] = {} },
}

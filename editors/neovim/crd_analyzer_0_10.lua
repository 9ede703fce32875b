-- crd-analyzer for Neovim 0.10 (and 0.8 and later): `require('crd_analyzer_0_10').setup()` in init.lua, with this file in
-- ~/.config/nvim/lua/. The argument may hold `cmd` and `settings`.
local M = {}

-- Whether a file shows that its folder is a kubebuilder project: a `PROJECT`, or a `Makefile` that runs controller-gen.
local function is_of_project(name, folder)
  if name ~= 'Makefile' or not folder then
    return name == 'PROJECT'
  end
  local file = io.open(folder .. '/' .. name)
  local text = file and file:read('*a') or ''
  if file then
    file:close()
  end
  return text:find('controller-gen', 1, true) ~= nil
end

function M.setup(options)
  options = options or {}
  vim.api.nvim_create_autocmd('FileType', {
    pattern = { 'yaml', 'json', 'helm', 'go' },
    group = vim.api.nvim_create_augroup('crd_analyzer', { clear = true }),
    callback = function(event)
      -- Go files have markers in projects of kubebuilder; gopls does everything else.
      local is_go = vim.bo[event.buf].filetype == 'go'
      if is_go and #vim.fs.find(is_of_project, { upward = true, path = vim.fs.dirname(event.file) }) == 0 then
        return
      end
      local markers = vim.fs.find({ '.crd-analyzer.yaml', '.crd-analyzer.yml', '.git' }, { upward = true, path = vim.fs.dirname(event.file) })
      local root = markers[1] and vim.fs.dirname(markers[1]) or nil
      -- Objects to try a rule on are in the cache folder: the language server that wrote them knows the rule.
      local get_clients = vim.lsp.get_clients or vim.lsp.get_active_clients
      if vim.api.nvim_buf_get_name(event.buf):find('/crd%-analyzer/samples/') then
        local running = get_clients({ name = 'crd_analyzer' })[1]
        root = running and running.config.root_dir
      end
      vim.lsp.start({
        name = 'crd_analyzer',
        cmd = options.cmd or { 'crd-analyzer', 'lsp' },
        root_dir = root,
        settings = { ['crd-analyzer'] = options.settings or vim.empty_dict() },
      }, { bufnr = event.buf })
    end,
  })
end

return M

-- crd-analyzer for Neovim 0.11 and later: put this file into ~/.config/nvim/lsp/ and call `vim.lsp.enable('crd_analyzer')`.
-- What can be set stands in settings['crd-analyzer']; a `.crd-analyzer.yaml` in the repository counts for everybody.

-- The folder of a kubebuilder project: it has a `PROJECT`, or a `Makefile` that runs controller-gen.
local function project(bufnr)
  return vim.fs.root(bufnr, function(name, folder)
    if name ~= 'Makefile' then
      return name == 'PROJECT'
    end
    local file = io.open(folder .. '/' .. name)
    local text = file and file:read('*a') or ''
    if file then
      file:close()
    end
    return text:find('controller-gen', 1, true) ~= nil
  end)
end

return {
  cmd = { 'crd-analyzer', 'lsp' },
  filetypes = { 'yaml', 'json', 'helm', 'go' },
  root_dir = function(bufnr, on_dir)
    -- Go files have markers in projects of kubebuilder; gopls does everything else.
    if vim.bo[bufnr].filetype == 'go' and not project(bufnr) then
      return
    end
    -- Objects to try a rule on are in the cache folder: the language server that wrote them knows the rule.
    if vim.api.nvim_buf_get_name(bufnr):find('/crd%-analyzer/samples/') then
      local running = vim.lsp.get_clients({ name = 'crd_analyzer' })[1]
      on_dir(running and running.root_dir)
      return
    end
    on_dir(vim.fs.root(bufnr, { '.crd-analyzer.yaml', '.crd-analyzer.yml', '.git' }))
  end,
  settings = { ['crd-analyzer'] = {} },
  init_options = { client = { showFailingObjects = true } },
  commands = {
    -- A lens says how many objects fail a rule: `vim.lsp.codelens.run()` on it lists them.
    ['crd-analyzer.showFailingObjects'] = function(command, context)
      local client = assert(vim.lsp.get_client_by_id(context.client_id))
      local asked = { command = 'crd-analyzer.failingObjects', arguments = command.arguments }
      client:request('workspace/executeCommand', asked, function(_, found)
        local items = vim.lsp.util.locations_to_items(found or {}, client.offset_encoding)
        vim.fn.setqflist({}, ' ', { title = command.title, items = items })
        vim.cmd('botright copen')
      end, context.bufnr)
    end,
  },
}

-- Tries a rule in Neovim with the shipped configuration: objects are opened in the same language server, and results follow the typing.
-- usage: nvim --headless --clean -S sample.lua     with CRD_ANALYZER_NVIM, CRD_ANALYZER_EDITORS and CRD_ANALYZER_FIXTURE
local test = dofile(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))) .. '/person.lua')
local must = test.must

test.session(function()
  local person = test.start()
  local see = person.see
  test.attach(person)
  person.open(os.getenv('CRD_ANALYZER_FIXTURE') .. '/gadgets.crd.yaml')
  see('the wrong field is found', function() return #person.findings() == 1 end)
  person.to('replica <=')
  person.take('Change replica to replicas')
  see('the field is repaired', function() return #person.findings() == 0 end)
  person.lua('vim.lsp.inlay_hint.enable()')
  -- What a click on the lens sends.
  person.lua([[
    local client = vim.lsp.get_clients({ bufnr = 0 })[1]
    local of = { textDocument = vim.lsp.util.make_text_document_params() }
    client:request('textDocument/codeLens', of, function(_, lenses)
      for _, lens in ipairs(lenses or {}) do
        if lens.command.title == 'Try this rule' then client:exec_cmd(lens.command) end
      end
    end)
  ]])
  see('objects are shown', function() return person.lua('return vim.api.nvim_buf_get_name(0)'):find('/crd%-analyzer/samples/') end)
  see('they belong to the same language server', function() return person.lua('return #vim.lsp.get_clients({ bufnr = 0 })') == 1 end)
  must(person.lua('return #vim.lsp.get_clients()') == 1, 'there is one language server')
  local function results()
    return person.lua([[
      return vim.tbl_map(function(it)
        return type(it.inlay_hint.label) == 'string' and it.inlay_hint.label or ''
      end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
    ]])
  end
  local function shows(wanted)
    return function() return table.concat(results(), '\n'):find(wanted, 1, true) end
  end
  see('the answers are shown', shows('accepted'))
  see('both of them', shows('rejected by this rule'))
  see('the steps are shown', shows('self.replicas'))
  person.leave()
end)

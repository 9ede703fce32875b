-- Writes kubebuilder markers in Neovim with the shipped configuration: a rule is marked, repaired, and its cost gets a bound.
-- usage: nvim --headless --clean -S go.lua     with CRD_ANALYZER_NVIM, CRD_ANALYZER_EDITORS and CRD_ANALYZER_FIXTURE
local test = dofile(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))) .. '/person.lua')

test.session(function()
  local person = test.start()
  test.attach(person)
  person.open(os.getenv('CRD_ANALYZER_FIXTURE') .. '/api/v1/order_types.go')
  local see = person.see
  -- What is typed makes the CRD in the repository older than the types: that is another test's subject.
  local function findings()
    return vim.tbl_filter(function(it) return it[1] ~= 'stale-crd' end, person.findings())
  end
  local function codes()
    return table.concat(vim.tbl_map(function(it) return it[1] end, findings()), ' ')
  end
  local function on_line(text)
    return function() return person.text():find(text, 1, true) end
  end
  see('the server is there', function()
    return person.lua([[local it = vim.lsp.get_clients({ bufnr = 0 })[1] return it ~= nil and it.initialized]])
  end)

  -- A rule that names a field which is not there.
  person.to('price <= self.limit')
  person.keys('cwprise<Esc>')
  see('the wrong field is found', function() return codes() == 'undefined-field' end)
  local found = findings()[1]
  test.must(found[2] == 6 and found[3] == 51, ('it is at 6:51 (%d:%d)'):format(found[2], found[3]))
  person.to('prise')
  person.take('Change prise to price')
  see('the rule is repaired inside its string', on_line('rule="self.price <= self.limit",message='))
  see('the finding goes', function() return codes() == '' end)

  -- A rule that costs too much gets the bound that fits, as a marker of the field.
  person.to('self.price <= self.limit",message="the price is over the limit"')
  person.keys('Cself.tags.all(a, self.tags.exists(b, a == b))"<Esc>')
  see('the cost is found', function() return codes():find('rule-cost-over-limit', 1, true) end)
  person.to('self.tags')
  local title = person.lua([[local params = vim.lsp.util.make_range_params(0, 'utf-16')
    params.context = { diagnostics = {} }
    for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 8000) or {}) do
      for _, it in ipairs(answer.result or {}) do
        if it.title:find('Add maxItems', 1, true) then return it.title end
      end
    end
    return '']])
  test.must(title ~= '', 'a bound is offered')
  person.take(title)
  see('the bound is a marker', on_line('\n\t// +kubebuilder:validation:MaxItems='))
  see('the finding goes', function() return not codes():find('rule-cost-over-limit', 1, true) end)
  person.leave()
end)

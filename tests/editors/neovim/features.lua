-- Writes a definition and a resource in Neovim with the shipped configuration: repair, completion, hover, rename.
-- usage: nvim --headless --clean -S features.lua     with CRD_ANALYZER_NVIM, CRD_ANALYZER_EDITORS and CRD_ANALYZER_FIXTURE
local test = dofile(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))) .. '/person.lua')
local must = test.must

test.session(function()
  local fixture = os.getenv('CRD_ANALYZER_FIXTURE')
  local person = test.start()
  test.attach(person)
  person.open(fixture .. '/gadgets.crd.yaml')
  local see, keys = person.see, person.keys
  local function codes()
    return table.concat(vim.tbl_map(function(it) return it[1] end, person.findings()), ' ')
  end
  local function on_line(text)
    return function() return person.text():find(text, 1, true) end
  end
  --- Asks for what can be written, as this Neovim has it.
  local function complete()
    keys('<C-x><C-o>')
    return see('something is offered', function()
      local offered = person.offered()
      return #offered > 0 and offered
    end)
  end
  --- Moves to an item of the menu and takes it.
  local function choose(offered, wanted)
    local at = 0
    for index, it in ipairs(offered) do
      if it:gsub('~$', '') == wanted then at = index break end
    end
    must(at > 0, wanted .. ' is offered: ' .. table.concat(offered, ' '):sub(1, 120))
    keys(('<Down>'):rep(at - 1) .. '<C-y>')
  end
  local function hover_shows(what, ...)
    person.lua('vim.lsp.buf.hover()')
    local parts = { ... }
    local shown = see(what, function()
      for _, it in ipairs(person.floats()) do
        local all = true
        for _, part in ipairs(parts) do all = all and it:find(part, 1, true) end
        if all then return it end
      end
    end)
    keys('<Esc>hl') -- moving closes it
    see('the hover closes', function() return #person.floats() == 0 end)
    return shown
  end

  -- The definition: a misspelled field in a rule over two lines of a quoted scalar.
  see('the wrong field is found', function() return codes() == 'undefined-field' end)
  local found = person.findings()[1]
  must(found[2] == 37 and found[3] == 31, ('it is at 37:31 (%d:%d)'):format(found[2], found[3]))
  person.to('replica <=')
  person.take('Change replica to replicas')
  see('the field is repaired', on_line("- rule: 'self.replicas <= 5 ||"))
  see('the finding goes', function() return codes() == '' end)

  -- Completion in the rule: inside the quotes of YAML, what is inserted is quoted for them.
  person.to('self.replicas > 9')
  keys('A<Left> && self.')
  see('a person has typed', on_line('self.replicas > 9 && self.'))
  local offered = complete()
  choose(offered, 'hosts')
  see('the field is inserted', on_line("self.replicas > 9 && self.hosts'"))
  keys('.al')
  see('a person types on', on_line('self.hosts.al'))
  offered = complete()
  must(offered[1]:find('^all'), 'what fits is first: ' .. offered[1])
  keys('<C-y>')
  -- Neovim 0.10 has no snippets in what it completes by itself.
  see('the fold is inserted', on_line(person.minor > 10 and 'self.hosts.all(' or 'self.hosts.all'))
  keys('<Esc>')
  person.lua([[vim.cmd('silent! %s/ && self\\.hosts\\..*$/\'/')]])
  see('the rule is as it was', function() return person.text():find("self.replicas > 9'\n", 1, true) and codes() == '' end)

  -- Completion of a key and of its value in the schema.
  person.to('minimum: 0')
  keys('omax')
  see('a key is begun', on_line('\n                  max'))
  choose(complete(), 'maximum')
  see('the key is inserted with a blank for its value', on_line('\n                  maximum: \n'))
  keys('9<Esc>')
  see('its value is typed', on_line('maximum: 9'))
  see('nothing is wrong with it', function() return codes() == '' end)

  -- Hover: a property, a field of the API, a token of a rule.
  person.to('replicas:')
  hover_shows('a property is explained', 'integer', 'How many gadgets there are')
  person.to('maxItems')
  hover_shows('a field of the API is explained', 'maxItems', 'array')
  person.to('self.replicas <=', 5)
  hover_shows('a token of a rule is explained', 'replicas', 'int')

  -- A property goes with everything that names it, also in a resource that is not open.
  person.to('replicas:')
  person.lua("vim.lsp.buf.rename('count')")
  see('the property is renamed', on_line('\n                count:'))
  local text = person.text()
  for _, it in ipairs({ 'required: [count]', 'jsonPath: .spec.count', "'self.count <= 5", "self.count > 9'" }) do
    must(text:find(it, 1, true), 'so is what names it: ' .. it)
  end
  must(not text:find('replicas', 1, true), 'its old name is gone')
  see('the definition is still right', function() return codes() == '' end)

  -- Growing selections reach into the rule; lines can be folded.
  person.to('count <= 5', 1)
  local selections = person.lua([[local at = vim.lsp.util.make_position_params(0, 'utf-16')
    local client = (vim.lsp.get_clients or vim.lsp.get_active_clients)({ bufnr = 0 })[1]
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    params.positions, params.position = { params.position }, nil
    local answer = vim.lsp.buf_request_sync(0, 'textDocument/selectionRange', params, 5000)
    local found = {}
    for _, it in pairs(answer) do
      local range = it.result[1]
      while range do
        if range.range.start.line == range.range['end'].line then
          local line = vim.api.nvim_buf_get_lines(0, range.range.start.line, range.range.start.line + 1, false)[1]
          table.insert(found, line:sub(range.range.start.character + 1, range.range['end'].character))
        end
        range = range.parent
      end
    end
    return found]])
  must(selections[1] == 'count' and vim.tbl_contains(selections, 'self.count <= 5'), 'selections grow through the rule: ' .. table.concat(selections, ' | '):sub(1, 100))
  local folds = person.lua([[local answer = vim.lsp.buf_request_sync(0, 'textDocument/foldingRange', { textDocument = vim.lsp.util.make_text_document_params() }, 5000)
    local count = 0
    for _, it in pairs(answer) do count = count + #it.result end
    return count]])
  must(folds > 5, folds .. ' folds')

  -- The resource: what was renamed, a misspelled field, completion, hover.
  person.open(fixture .. '/one.gadget.yaml')
  see('the resource has the new name', on_line('\n  count: 3'))
  see('its wrong field is found', function() return codes() == 'unknown-field' end)
  person.to('host:')
  person.take('Change host to hosts')
  see('it is repaired', on_line('\n  hosts: [a.example]'))
  see('its finding goes', function() return codes() == '' end)
  person.to('count:')
  hover_shows('the field is explained by its definition', 'How many gadgets there are', 'integer')
  keys('Gdd')
  see('a field is taken out', function() return not person.text():find('hosts', 1, true) end)
  keys('o<Esc>0C  ho')
  see('and begun again', on_line('\n  ho'))
  choose(complete(), 'hosts')
  see('it is inserted', on_line('\n  hosts:'))
  keys('<Esc>')

  -- Enter where the server alone indents.
  if person.lua('return vim.lsp.on_type_formatting ~= nil') then
    person.lua([[vim.bo.indentexpr, vim.bo.autoindent = '', false
      vim.lsp.on_type_formatting.enable()]])
    keys('Goextra:<CR>')
    see('the new line is indented', on_line('extra:\n  '))
    keys('<Esc>')
  end
  person.leave()
end)

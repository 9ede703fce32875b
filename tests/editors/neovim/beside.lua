-- Beside yaml-language-server in one Neovim nothing is offered or explained twice.
-- usage: nvim --headless --clean -S beside.lua     with what features.lua needs, and CRD_ANALYZER_YAML_SERVER, a command
local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
local test = dofile(here .. '/person.lua')
local must, say = test.must, test.say

--- A session with both servers, the other one with these settings, and ours with its own if they are given. `body` gets the person.
local function with_both(settings, body, ours)
  local fixture = os.getenv('CRD_ANALYZER_FIXTURE')
  local person = test.start()
  test.attach(person)
  if ours then person.lua([[vim.lsp.config('crd_analyzer', { settings = ... })]], ours) end
  person.lua(
    [[local command, settings, root = ...
      vim.api.nvim_create_autocmd('FileType', { pattern = 'yaml', callback = function(event)
        vim.lsp.start({ name = 'yamlls', cmd = command, settings = settings, root_dir = root }, { bufnr = event.buf })
      end })]],
    vim.split(os.getenv('CRD_ANALYZER_YAML_SERVER'), ' '),
    settings,
    fixture
  )
  person.open(fixture .. '/gadgets.crd.yaml')
  person.see('both servers are there', function()
    local names = person.lua([[return vim.tbl_map(function(it) return it.initialized and it.name or '' end, vim.lsp.get_clients({ bufnr = 0 }))]])
    return vim.tbl_contains(names, 'yamlls') and vim.tbl_contains(names, 'crd_analyzer')
  end)
  person.see('ours has looked', function() return #person.findings() > 0 end)
  body(person, fixture)
  person.leave()
end

--- What each server answers at the cursor: `{[name] = answer}`.
local function answers(person, method)
  return person.lua(
    [[local method = ...
      local params = vim.lsp.util.make_position_params(0, 'utf-16')
      local found = {}
      for id, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 8000) or {}) do
        found[vim.lsp.get_client_by_id(id).name] = answer.result
      end
      return found]],
    method
  )
end

--- How many symbols more than one server lists, by name and line.
local function doubled_symbols(person)
  local servers = {}
  local function collect(server, list)
    for _, it in ipairs(list) do
      local place = it.selectionRange or it.location.range
      local name = it.name .. ' ' .. place.start.line
      servers[name] = servers[name] or {}
      servers[name][server] = true
      collect(server, it.children or {})
    end
  end
  for name, list in pairs(answers(person, 'textDocument/documentSymbol')) do
    if list ~= vim.NIL then collect(name, list) end
  end
  local twice = 0
  for _, names in pairs(servers) do
    if vim.tbl_count(names) > 1 then twice = twice + 1 end
  end
  return twice, vim.tbl_count(servers)
end

--- The servers that report a syntax error, by the sources that they name: of ours it has a code of its own.
local function complaining(person)
  return person.lua([[local found = {}
    for _, it in ipairs(vim.diagnostic.get(0)) do
      if it.code == 'invalid-yaml' or it.source == 'YAML' then found[it.source] = true end
    end
    local names = vim.tbl_keys(found)
    table.sort(names)
    return table.concat(names, ' ')]])
end

--- Types a quote that stays open, and sees who complains.
local function with_open_quote(person, expected)
  person.to('scope: Namespaced')
  person.keys('o<Esc>0C  preserveUnknownFields: "x<Esc>')
  person.see('an open quote is reported by ' .. expected, function() return complaining(person) == expected end, 20)
  person.keys('u')
end

--- The text of a hover; a server that has nothing to say may answer with an empty one, and an editor shows nothing then.
local function words(hover)
  if hover == vim.NIL or not hover.contents then return '' end
  local contents = hover.contents
  if type(contents) == 'string' then return contents end
  return contents.value or vim.inspect(contents)
end

--- The names of the servers that explain what is at the cursor.
local function explain(person)
  local found = {}
  for name, it in pairs(answers(person, 'textDocument/hover')) do
    if vim.trim(words(it)) ~= '' then found[#found + 1] = name end
  end
  table.sort(found)
  return table.concat(found, ' ')
end

--- How many servers offer each label at the cursor.
local function offer(person)
  local labels = {}
  for name, it in pairs(answers(person, 'textDocument/completion')) do
    if it ~= vim.NIL then
      for _, item in ipairs(it.items or it) do
        local label = vim.trim(item.label)
        labels[label] = labels[label] or {}
        labels[label][name] = true
      end
    end
  end
  local twice, count = {}, 0
  for label, names in pairs(labels) do
    count = count + 1
    if vim.tbl_count(names) > 1 then twice[#twice + 1] = label end
  end
  return twice, count
end

local function nothing_is_doubled(person, text, offset)
  person.to(text, offset)
  local explained = explain(person)
  must(explained == 'crd_analyzer', ('at %s only ours explains (%s)'):format(text, explained))
end

local function nothing_is_offered_twice(person, what)
  local twice, count = offer(person)
  must(count > 0, ('%s: %d items'):format(what, count))
  must(#twice == 0, what .. ': nothing is offered twice (' .. table.concat(twice, ' ') .. ')')
end

--- Begins a line below a text, asks, and takes it back.
local function typing(person, above, line, ask)
  person.to(above)
  person.keys('o<Esc>0C' .. line)
  person.see('a person types ' .. vim.trim(line), function() return person.lua('return vim.api.nvim_get_current_line()') == line end)
  vim.wait(300) -- both have seen it
  ask()
  person.keys('<Esc>u')
end

test.session(function()
  say('-- as both are shipped')
  with_both(vim.empty_dict(), function(person, fixture)
    nothing_is_doubled(person, 'group:', 1)
    nothing_is_doubled(person, 'replicas:', 1)
    typing(person, 'scope: Namespaced', '  con', function() nothing_is_offered_twice(person, 'a field of the API') end)
    typing(person, 'minimum: 0', '                  max', function() nothing_is_offered_twice(person, 'a keyword') end)
    person.to("> 9'", 3)
    person.keys('i && self.')
    vim.wait(300)
    nothing_is_offered_twice(person, 'a field in a rule')
    person.keys('<Esc>u')
    person.open(fixture .. '/one.gadget.yaml')
    person.see('the resource is judged', function() return #person.findings() > 0 end)
    nothing_is_doubled(person, 'replicas:', 1)
    typing(person, 'replicas: 3', '  ho', function() nothing_is_offered_twice(person, 'a field of a resource') end)
    person.open(fixture .. '/gadgets.crd.yaml')
    local twice, count = doubled_symbols(person)
    must(twice > 0, ('both list symbols: %d of %d twice'):format(twice, count))
    with_open_quote(person, 'YAML crd-analyzer')
  end)

  say('-- with the settings of our page that leave nothing twice')
  local quiet = {}
  local set = function(name, it) quiet[name] = it.settings end
  local page = table.concat(vim.fn.readfile(os.getenv('CRD_ANALYZER_EDITORS') .. '/neovim/README.md'), '\n')
  local lines = page:match('```lua\n(%-%- nothing twice.-)```')
  must(lines, 'the page has settings')
  assert(load(lines, 'settings', 't', { vim = { lsp = { config = set } } }))()
  with_both(quiet.yamlls, function(person)
    local twice, count = doubled_symbols(person)
    must(twice == 0 and count > 0, ('of %d symbols none is listed twice'):format(count))
    with_open_quote(person, 'crd-analyzer')
  end, quiet.crd_analyzer)

  -- With a schema for definitions the other one explains them too; what its page says keeps it from that.
  local schema = { [vim.uri_from_fname(here .. '/crd.schema.json')] = '*.crd.yaml' }
  say('-- with a schema for definitions: the test sees what is doubled')
  with_both({ yaml = { schemas = schema } }, function(person)
    person.to('group:', 1)
    person.see('both explain', function() return explain(person) == 'crd_analyzer yamlls' end)
  end)
  say('-- with a schema for definitions, and the settings of our page')
  local block = page:match('```lua\n(%-%- beside yaml%-language%-server.-)```')
  must(block, 'the page has settings')
  local wanted
  local config = function(name, it) must(name == 'yamlls', 'for yamlls'); wanted = it.settings end
  assert(load(block, 'settings', 't', { vim = { lsp = { config = config } } }))()
  wanted.yaml.schemas = schema
  with_both(wanted, function(person)
    person.to('group:', 1)
    -- It answers once it has its settings: with an empty text if they keep it from this file.
    person.see('the other one has its settings', function() return (answers(person, 'textDocument/hover').yamlls or vim.NIL) ~= vim.NIL end)
    nothing_is_doubled(person, 'group:', 1)
    typing(person, 'scope: Namespaced', '  con', function() nothing_is_offered_twice(person, 'a field of the API') end)
  end)
end)

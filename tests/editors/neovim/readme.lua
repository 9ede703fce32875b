-- Types in Neovim with its own options and what README.md says to put into init.lua: the text is what was typed, and nothing else.
-- usage: nvim --headless --clean -S readme.lua     with CRD_ANALYZER_NVIM, CRD_ANALYZER_EDITORS and CRD_ANALYZER_FIXTURE
local test = dofile(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))) .. '/person.lua')
local must = test.must

--- The blocks of Lua in the README, by the comment in their first line.
local function blocks()
  local found = {}
  local readme = table.concat(vim.fn.readfile(os.getenv('CRD_ANALYZER_EDITORS') .. '/neovim/README.md'), '\n')
  for block in readme:gmatch('```lua\n(.-)\n```') do
    found[block:match('^%-%- ([^\n]*)')] = block
  end
  return found
end

test.session(function()
  local fixture = os.getenv('CRD_ANALYZER_FIXTURE')
  local person = test.start(true)
  local see, keys = person.see, person.keys
  if person.lua('return vim.lsp.completion == nil') then
    test.say('     this Neovim cannot complete while typing')
    return
  end
  local readme = blocks()
  for _, name in ipairs({ 'complete while typing', 'code lenses' }) do
    must(readme[name], 'the README says how: ' .. name)
    person.lua(readme[name])
  end
  test.attach(person)

  --- Types, and sees exactly that in the line.
  local function typed(text, expected)
    person.type(text)
    local line = person.lua('return vim.api.nvim_get_current_line()')
    must(line == expected, ('%q becomes %q (%q)'):format(text, expected, line))
    keys('<Esc>')
  end

  person.open(fixture .. '/gadgets.crd.yaml')
  see('the wrong field is found', function() return #person.findings() == 1 end)
  person.to('self.replicas > 9')
  keys('A<Left>')
  typed(' && self.hosts.size() > 0', "                    self.replicas > 9 && self.hosts.size() > 0'")
  person.to('minimum: 0')
  keys('o')
  person.type('maxi')
  see('keys are offered while a word is typed', function() return vim.tbl_contains(person.offered(), 'maximum') end)
  typed('mum: 9', '                  maximum: 9')
  keys('o')
  typed('description: how many', '                  description: how many')
  keys('o')
  -- Enter is a new line, also where values are offered.
  person.type('nullable: ')
  see('values are offered', function() return vim.tbl_contains(person.offered(), 'true') end)
  typed('<CR>', '                  ')
  must(person.text():find('nullable: \n', 1, true), 'nothing is taken with it')
  keys('u')
  see('it is undone', function() return not person.text():find('nullable', 1, true) end)

  -- An item is taken when it is asked for.
  person.to('self.hosts.size()')
  keys('A<Left>')
  person.type(' && self.re')
  see('the field is offered', function() return vim.tbl_contains(person.offered(), 'replicas') end)
  keys('<C-n><C-y>')
  see('it is taken', function() return person.text():find("> 0 && self.replicas'", 1, true) end)
  keys('<Esc>u')

  person.open(fixture .. '/one.gadget.yaml')
  see('the resource has a finding', function() return #person.findings() > 0 end)
  person.to('host:')
  keys('cc')
  typed('hosts: [a.example, b.example]', '  hosts: [a.example, b.example]')
  keys('o')
  typed('replicas: 5', '  replicas: 5')
  person.leave()
end)

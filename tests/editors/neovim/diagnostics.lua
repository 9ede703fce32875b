-- Opens a broken definition in Neovim with the shipped configuration, sees the finding at its place, repairs it by typing, sees it go.
-- usage: nvim --headless --clean -S nvim.lua FILE     with CRD_ANALYZER_EDITORS the folder of the configurations
local function say(...)
  io.stdout:write(table.concat({ ... }, ' ') .. '\n')
end

local function must(condition, what)
  if not condition then
    error('FAIL ' .. what)
  end
  say('ok   ' .. what)
end

local ok, failure = pcall(function()
  local version = vim.version()
  say('nvim', version.major .. '.' .. version.minor .. '.' .. version.patch)
  local configurations = os.getenv('CRD_ANALYZER_EDITORS') .. '/neovim'
  vim.cmd('filetype on')
  vim.o.swapfile = false
  if vim.lsp.config then
    vim.lsp.config('crd_analyzer', dofile(configurations .. '/crd_analyzer.lua'))
    vim.lsp.enable('crd_analyzer')
  else
    dofile(configurations .. '/crd_analyzer_0_10.lua').setup()
  end
  vim.cmd('edit ' .. vim.fn.fnameescape(os.getenv('CRD_ANALYZER_FILE')))
  local buffer = vim.api.nvim_get_current_buf()
  local function findings()
    return vim.diagnostic.get(buffer)
  end
  must(vim.wait(10000, function() return #findings() > 0 end, 20), 'a finding arrives')
  local finding = findings()[1]
  must(#findings() == 1, 'there is one finding')
  must(finding.lnum == 19 and finding.col == 20, ('it is at 20:21 (%d:%d)'):format(finding.lnum + 1, finding.col + 1))
  must(finding.end_col == 24, 'it ends with the word')
  must(finding.code == 'unknown-type', 'its code is unknown-type (' .. tostring(finding.code) .. ')')
  must(finding.severity == vim.diagnostic.severity.ERROR, 'it is an error')
  must(finding.message:find('is not a type'), 'it says what is supported')
  -- Type the repair as a person does.
  vim.api.nvim_win_set_cursor(0, { 20, 20 })
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('cwstring<Esc>', true, false, true), 'xt', false)
  must(vim.api.nvim_buf_get_lines(buffer, 19, 20, true)[1]:find('type: string'), 'the repair is typed')
  must(vim.wait(10000, function() return #findings() == 0 end, 20), 'the finding goes')
  -- And break it again elsewhere, so that a silent server cannot pass.
  vim.api.nvim_buf_set_lines(buffer, 19, 20, true, { '              type: integer', '              minimum: x' })
  must(vim.wait(10000, function() return #findings() == 1 end, 20), 'another finding arrives')
  -- A resource beside it follows the definition as it is typed, saved or not.
  vim.api.nvim_buf_set_lines(buffer, 19, 21, true, { '              type: integer' })
  must(vim.wait(10000, function() return #findings() == 0 end, 20), 'the definition is good again')
  vim.o.hidden = true
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.fs.dirname(os.getenv('CRD_ANALYZER_FILE')) .. '/one.widget.yaml'))
  local resource = vim.api.nvim_get_current_buf()
  local function of_resource()
    return vim.diagnostic.get(resource)
  end
  must(vim.wait(10000, function() return #of_resource() == 1 end, 20), 'the resource has a finding')
  local wrong = of_resource()[1]
  must(wrong.lnum == 4 and wrong.col == 6, ('it is at 5:7 (%d:%d)'):format(wrong.lnum + 1, wrong.col + 1))
  must(wrong.code == 'wrong-type', 'its code is wrong-type (' .. tostring(wrong.code) .. ')')
  vim.api.nvim_buf_set_lines(buffer, 19, 20, true, { '              type: string' })
  must(vim.wait(10000, function() return #of_resource() == 0 end, 20), 'it goes with the edit of the definition')
  vim.api.nvim_buf_set_lines(buffer, 19, 20, true, { '              type: string', '              maxLength: 2' })
  must(vim.wait(10000, function() return #of_resource() == 1 and of_resource()[1].code == 'string-too-long' end, 20), 'another one comes with the next')
  local clients = vim.lsp.get_clients({ bufnr = buffer })
  for _, client in ipairs(clients) do
    vim.lsp.stop_client(client.id)
  end
  must(vim.wait(5000, function() return #vim.lsp.get_clients({ bufnr = buffer }) == 0 end, 20), 'the server stops')
end)
if not ok then
  say(tostring(failure))
  vim.cmd('cquit 1')
end
say('PASS')
vim.cmd('qall!')

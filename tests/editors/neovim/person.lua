-- A person at a Neovim: another Neovim that is driven by keys, and asked what it shows.
--
--     local person = dofile('person.lua').start()
--     person.keys('ihello<Esc>')
--     person.see('hello', function() return person.text():find('hello') end)
--
-- CRD_ANALYZER_NVIM is the command that starts it.
local M = {}

function M.say(...)
  io.stdout:write(table.concat({ ... }, ' ') .. '\n')
end

function M.must(condition, what)
  if not condition then
    error('FAIL ' .. what, 0)
  end
  M.say('ok   ' .. what)
end

--- Runs a whole session and ends this Neovim with its result.
function M.session(body)
  local ok, failure = pcall(body)
  M.say(ok and 'PASS' or tostring(failure))
  vim.cmd(ok and 'qall!' or 'cquit 1')
end

--- `own_options`: the options are those that Neovim has by default.
function M.start(own_options)
  local person = {}
  local command = vim.split(os.getenv('CRD_ANALYZER_NVIM'), ' ')
  vim.list_extend(command, { '--embed', '--headless', '--clean' })
  local channel = vim.fn.jobstart(command, { rpc = true })
  local function ask(method, ...)
    return vim.rpcrequest(channel, method, ...)
  end

  --- Runs Lua in the editor and returns what it returns.
  function person.lua(code, ...)
    return ask('nvim_exec_lua', code, { ... })
  end

  --- Presses keys.
  function person.keys(keys)
    ask('nvim_input', keys)
  end

  --- Types a text as a person does: each key after what the last one caused is shown.
  function person.type(text)
    local at = 1
    while at <= #text do
      local key = text:match('^<%a[%w-]*>', at) or text:sub(at, at)
      at = at + #key
      person.keys(key == '<' and '<lt>' or key)
      vim.wait(250)
    end
  end

  --- The text of the buffer, or of one of its lines (from 1).
  function person.text(line)
    local from, to = (line or 1) - 1, line or -1
    return table.concat(ask('nvim_buf_get_lines', 0, from, to, false), '\n')
  end

  --- Waits until something is so.
  function person.see(what, condition, seconds)
    local last
    local seen = vim.wait((seconds or 10) * 1000, function()
      last = condition()
      return last
    end, 30)
    if not seen then
      M.say(person.text())
      M.say(vim.inspect(person.lua('return vim.api.nvim_get_mode()')), person.lua("return vim.fn.execute('messages')"))
    end
    M.must(seen, what)
    return last
  end

  --- Puts the cursor onto the first place of a text, `offset` bytes into it.
  function person.to(text, offset)
    local found = person.lua(
      [[local text, offset = ...
        for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
          local column = line:find(text, 1, true)
          if column then
            vim.api.nvim_win_set_cursor(0, { row, column - 1 + offset })
            return true
          end
        end
        return false]],
      text,
      offset or 0
    )
    M.must(found, 'the cursor is at ' .. text)
  end

  --- What is found in the buffer: `{code, line, column, message}` each.
  function person.findings()
    return person.lua([[return vim.tbl_map(function(it)
      return { tostring(it.code), it.lnum + 1, it.col + 1, it.message }
    end, vim.diagnostic.get(0))]])
  end

  --- The texts of the windows that float.
  function person.floats()
    return person.lua([[local found = {}
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).relative ~= '' then
          local buffer = vim.api.nvim_win_get_buf(window)
          table.insert(found, table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n'))
        end
      end
      return found]])
  end

  --- What the popup menu offers: words, as they are shown.
  function person.offered()
    return person.lua([[return vim.tbl_map(function(it) return it.abbr ~= '' and it.abbr or it.word end,
      vim.fn.complete_info({ 'items' }).items)]])
  end

  --- Asks for code actions and takes the one with this title.
  function person.take(title)
    person.lua(
      [[local title = ...
        _G.offered_actions = nil
        vim.ui.select = function(items, options, chosen)
          _G.offered_actions = vim.tbl_map(function(it) return options.format_item and options.format_item(it) or it.action.title end, items)
          for index, item in ipairs(items) do
            if (item.action or item).title == title then return chosen(item, index) end
          end
          chosen(nil)
        end
        vim.lsp.buf.code_action()]],
      title
    )
    local titles = person.see('code actions are offered', function()
      local offered = person.lua('return _G.offered_actions or vim.NIL')
      return offered ~= vim.NIL and offered
    end)
    M.say('     ' .. table.concat(titles, ' | '))
  end

  --- Opens a file.
  function person.open(file)
    person.lua('vim.cmd.edit(vim.fn.fnameescape(...))', file)
  end

  --- Ends the editor as a person does: the servers are told to shut down.
  function person.leave()
    person.lua([[for _, client in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
      vim.lsp.stop_client(client.id)
    end]])
    person.see('the servers stop', function()
      return person.lua('return #(vim.lsp.get_clients or vim.lsp.get_active_clients)()') == 0
    end)
    vim.fn.jobstop(channel)
  end

  local version = person.lua('local v = vim.version() return { v.major, v.minor, v.patch }')
  person.minor = version[2]
  M.say('nvim', table.concat(version, '.'))
  person.lua([[vim.cmd('filetype on')
    vim.o.swapfile = false
    vim.o.hidden = true
    vim.o.columns = 140
    vim.o.lines = 50]])
  if not own_options then
    person.lua([[vim.o.completeopt = 'menuone,noinsert'
      vim.o.shortmess = vim.o.shortmess .. 'c']])
  end
  return person
end

--- Attaches the server as the shipped configuration does.
function M.attach(person)
  person.lua(
    [[local folder = ...
      if vim.lsp.config then
        vim.lsp.config('crd_analyzer', dofile(folder .. '/crd_analyzer.lua'))
        vim.lsp.enable('crd_analyzer')
      else
        dofile(folder .. '/crd_analyzer_0_10.lua').setup()
      end]],
    os.getenv('CRD_ANALYZER_EDITORS') .. '/neovim'
  )
end

return M

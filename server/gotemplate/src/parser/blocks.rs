//! Actions that control what is printed: blocks, their ends, and templates.

use crd_analyzer_gostd::{quote, unquote};

use super::{
    Call, Define, Parser, Result,
    tree::{Block, Owner, Tree},
};
use crate::{
    error::Cause,
    token::{Keyword, Kind, Token},
};

impl Parser<'_> {
    /// Parses an action after its opening braces.
    pub(super) fn action(&mut self) -> Result<()> {
        let token = self.next_word();
        match token.kind {
            Kind::Keyword(Keyword::Block) => return self.block(),
            Kind::Keyword(Keyword::Else) => return self.else_(),
            Kind::Keyword(Keyword::End) => return self.end(),
            Kind::Keyword(Keyword::If) => return self.control("if", false),
            Kind::Keyword(Keyword::Range) => return self.control("range", false),
            Kind::Keyword(Keyword::With) => return self.control("with", false),
            Kind::Keyword(Keyword::Break) => self.leave_range("break")?,
            Kind::Keyword(Keyword::Continue) => self.leave_range("continue")?,
            Kind::Keyword(Keyword::Template) => self.template()?,
            _ => {
                self.back();
                self.pipeline("command")?;
            }
        }
        self.printed();
        Ok(())
    }

    /// An action or a block is complete.
    fn printed(&mut self) {
        let tree = self.tree();
        tree.action = None;
        tree.is_blank = false;
    }

    /// Parses the rest of `break` or `continue`.
    fn leave_range(&mut self, keyword: &str) -> Result<()> {
        let token = self.next_word();
        if token.kind != Kind::RightDelim {
            return self.unexpected(token, &format!("{{{{{keyword}}}}}"));
        }
        if self.tree().ranges == 0 {
            let span = self.action_up_to(token.end);
            return self.fail(format!("{{{{{keyword}}}}} outside {{{{range}}}}"), span);
        }
        Ok(())
    }

    /// Parses the rest of the action that begins a block.
    fn control(&mut self, keyword: &'static str, is_chained: bool) -> Result<()> {
        let variables = self.tree().variables.len();
        let delim = self.delim;
        self.pipeline(keyword)?;
        let tree = self.tree();
        tree.ranges += usize::from(keyword == "range");
        let around = tree.blocks.last().filter(|_| is_chained);
        let block = Block {
            keyword,
            start: around.map_or(delim, |it| it.start),
            variables,
            has_else: false,
            is_chained,
        };
        tree.blocks.push(block);
        Ok(())
    }

    /// Parses the rest of an `else`, and what follows it directly.
    fn else_(&mut self) -> Result<()> {
        let next = self.peek_word();
        let is_chain = matches!(next.kind, Kind::Keyword(Keyword::If | Keyword::With));
        let last = if is_chain {
            next
        } else {
            self.expect(Kind::RightDelim, "else")?
        };
        let tree = self.tree();
        tree.action = None;
        let Some(block) = tree.blocks.last_mut() else {
            return self.without_block("else", last.end);
        };
        if block.has_else {
            let span = self.action_up_to(last.end);
            return Err(self.error("expected end; found {{else}}", span, Cause::NotOpened("else")));
        }
        block.has_else = true;
        let keyword = block.keyword;
        tree.ranges -= usize::from(keyword == "range");
        let chained = match (keyword, self.peek().kind) {
            ("if", Kind::Keyword(Keyword::If)) | ("with", Kind::Keyword(Keyword::With)) => keyword,
            _ => return Ok(()),
        };
        self.next();
        self.control(chained, true)
    }

    /// Parses the rest of an `end`, and closes the block.
    fn end(&mut self) -> Result<()> {
        let last = self.expect(Kind::RightDelim, "end")?;
        let tree = self.tree();
        tree.action = None;
        if tree.blocks.is_empty() {
            return self.end_tree(last.end);
        }
        let mut closed = None;
        while let Some(block) = tree.blocks.pop() {
            closed = Some((block.keyword, block.start));
            tree.ranges -= usize::from(block.keyword == "range" && !block.has_else);
            tree.variables.keep(block.variables);
            if !block.is_chained {
                break;
            }
        }
        if let Some(block) = closed
            && let (Some(start), Some(end)) = (self.column(block.1), self.column(self.delim))
            && end < start
        {
            self.odd.push(block);
        }
        self.printed();
        Ok(())
    }

    /// Closes the template that an action defines.
    fn end_tree(&mut self, end: usize) -> Result<()> {
        if self.tree().owner == Owner::File {
            return self.without_block("end", end);
        }
        self.add()?;
        if let Some(Tree {
            owner: Owner::Block, ..
        }) = self.trees.pop()
        {
            self.printed();
        }
        Ok(())
    }

    /// Adds the current template to those of the file. Go allows a second one with the same name only if one of them is blank.
    fn add(&mut self) -> Result<()> {
        let (index, is_blank) = (self.tree().define, self.tree().is_blank);
        let Some(define) = index.and_then(|it| self.parsed.defines.get(it)).cloned() else {
            return Ok(());
        };
        match self.named.get(&define.name) {
            Some(false) if is_blank => Ok(()),
            Some(false) => {
                let message = format!("multiple definition of template {}", quote(&define.name));
                self.fail(message, define.span)
            }
            None | Some(true) => {
                self.named.insert(define.name, is_blank);
                Ok(())
            }
        }
    }

    /// The error for an `else` or `end` that ends no block.
    fn without_block(&mut self, keyword: &'static str, end: usize) -> Result<()> {
        let context = match self.tree().owner {
            Owner::File => "",
            Owner::Define => " in define clause",
            Owner::Block => {
                // Go reports the place of the action that begins the block.
                self.trees.pop();
                " in block clause"
            }
        };
        let message = format!("unexpected {{{{{keyword}}}}}{context}");
        let span = self.action_up_to(end);
        Err(self.error(message, span, Cause::NotOpened(keyword)))
    }

    /// Parses the rest of the action that begins a definition.
    pub(super) fn define(&mut self) -> Result<()> {
        self.trees.push(Tree::new(Owner::Define, self.delim));
        let token = self.next_word();
        let name = self.template_name(token, "define clause")?;
        self.expect(Kind::RightDelim, "define clause")?;
        self.name_tree(name, token);
        Ok(())
    }

    /// Parses the rest of the action that begins a block with a name.
    fn block(&mut self) -> Result<()> {
        let delim = self.delim;
        let token = self.next_word();
        let name = self.template_name(token, "block clause")?;
        self.pipeline("block clause")?;
        self.call(name.clone(), token);
        self.trees.push(Tree::new(Owner::Block, delim));
        self.name_tree(name, token);
        Ok(())
    }

    /// Names the template that begins.
    fn name_tree(&mut self, name: String, token: Token) {
        self.tree().define = Some(self.parsed.defines.len());
        let span = token.span();
        self.parsed.defines.push(Define { name, span });
    }

    /// Adds a template that is named here.
    pub(super) fn call(&mut self, name: String, token: Token) {
        let call = Call {
            name,
            span: token.span(),
            within: self.tree().define,
        };
        self.parsed.calls.push(call);
    }

    /// Parses the rest of an action that prints a template.
    fn template(&mut self) -> Result<()> {
        let token = self.next_word();
        let name = self.template_name(token, "template clause")?;
        if self.next_word().kind != Kind::RightDelim {
            self.back();
            self.pipeline("template clause")?;
        }
        self.call(name, token);
        Ok(())
    }

    /// The name of a template, which is a string.
    fn template_name(&mut self, token: Token, context: &str) -> Result<String> {
        if !matches!(token.kind, Kind::String | Kind::RawString) {
            return self.unexpected(token, context);
        }
        match unquote(token.written(self.text)) {
            Some(name) => Ok(name),
            None => self.fail("invalid syntax", token.span()),
        }
    }
}

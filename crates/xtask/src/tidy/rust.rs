//! Rust source as the checks need it: tokens with lines, whole paths, and which of it is test
//! code. Comments and documentation are gone, so prose can never break a rule.
//!
//! Not a parser: macros are not expanded, and names are not resolved. That is why each rule that
//! matters for correctness is also a clippy lint or a compiler check where there is one.

use std::str::FromStr;

use proc_macro2::{Delimiter, LexError, TokenStream, TokenTree};

/// One word, punctuation mark, literal or bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// As written; `::` is one token.
    pub text: String,
    /// Line it starts on, from 1.
    pub line: usize,
    /// Line it ends on: literals can be long.
    pub last: usize,
    /// Whether it belongs to an item under `#[cfg(test)]`.
    pub is_test: bool,
    /// Whether it is a literal.
    pub is_literal: bool,
}

/// A path such as `std::fs::read`, with the braces of a `use` written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedPath {
    /// The whole path, joined with `::`.
    pub text: String,
    /// Line of its last part.
    pub line: usize,
    /// Whether it is in test code.
    pub is_test: bool,
}

/// A piece of text in a source file: a literal, those of attributes included, or documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// As the program has it.
    pub text: String,
    /// Line it starts on, from 1.
    pub line: usize,
    /// Whether it is documentation.
    pub is_doc: bool,
}

/// A read source file.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Whether all of it is test code.
    pub is_test: bool,
    /// Every token in order.
    pub tokens: Vec<Token>,
    /// Every text outside test code.
    pub texts: Vec<Text>,
}

impl Source {
    /// Reads a file.
    pub fn parse(text: &str) -> Result<Source, LexError> {
        let stream = TokenStream::from_str(text)?;
        let mut source = Source::default();
        source.flatten(stream, false);
        Ok(source)
    }

    /// Makes all of it test code.
    pub fn mark_test(&mut self) {
        self.is_test = true;
        self.tokens.iter_mut().for_each(|token| token.is_test = true);
    }

    /// Every path, `use std::{fs, io::Read}` as `std::fs` and `std::io::Read`.
    pub fn paths(&self) -> Vec<UsedPath> {
        let mut paths = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            if is_word(&self.tokens[at]) {
                at = self.path(at, String::new(), &mut paths);
            } else {
                at += 1;
            }
        }
        paths
    }

    /// Reads the path that starts at `at`, below `prefix`; returns where it ends.
    fn path(&self, mut at: usize, prefix: String, paths: &mut Vec<UsedPath>) -> usize {
        let mut text = prefix;
        loop {
            let word = &self.tokens[at];
            if !text.is_empty() {
                text.push_str("::");
            }
            text.push_str(&word.text);
            let (line, is_test) = (word.line, word.is_test);
            at += 1;
            match (self.text(at), self.text(at + 1)) {
                ("::", "{") => return self.group(at + 2, &text, paths),
                ("::", _) if self.tokens.get(at + 1).is_some_and(is_word) => at += 1,
                _ => {
                    paths.push(UsedPath { text, line, is_test });
                    return at;
                }
            }
        }
    }

    /// Reads the paths of a brace group of a `use` up to its end.
    fn group(&self, mut at: usize, prefix: &str, paths: &mut Vec<UsedPath>) -> usize {
        while at < self.tokens.len() && self.text(at) != "}" {
            if is_word(&self.tokens[at]) {
                at = self.path(at, prefix.to_owned(), paths);
            } else {
                at += 1;
            }
        }
        at + 1
    }

    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    fn flatten(&mut self, stream: TokenStream, is_test: bool) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        // Set from an attribute that makes the next item test code to the end of that item.
        let mut item_is_test = false;
        let mut at = 0;
        while at < trees.len() {
            if let Some((attribute, length)) = attribute(&trees[at..]) {
                item_is_test |= attribute == "cfg(test)";
                if !(is_test || item_is_test) {
                    self.attribute_texts(&attribute, &trees[at..at + length]);
                }
                at += length;
                continue;
            }
            let here = is_test || item_is_test;
            let ends_item = match &trees[at] {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                TokenTree::Punct(punct) => punct.as_char() == ';',
                _ => false,
            };
            self.push(&trees[at], here);
            item_is_test &= !ends_item;
            at += 1;
        }
    }

    /// The texts of an attribute: words for people, except where it says how something is stored.
    fn attribute_texts(&mut self, attribute: &str, trees: &[TokenTree]) {
        let is_doc = attribute.starts_with("doc=");
        if attribute.starts_with("serde") {
            return;
        }
        let mut open: Vec<TokenTree> = trees.to_vec();
        while let Some(tree) = open.pop() {
            match &tree {
                TokenTree::Group(group) => open.extend(group.stream()),
                TokenTree::Literal(literal) => self.add_text(&literal.to_string(), &tree, is_doc),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }

    fn add_text(&mut self, literal: &str, tree: &TokenTree, is_doc: bool) {
        if let Some(text) = unquoted(literal) {
            self.texts.push(Text { text, line: tree.span().start().line, is_doc });
        }
    }

    fn push(&mut self, tree: &TokenTree, is_test: bool) {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::None => ("", ""),
                };
                self.add(open, (line, line), is_test);
                self.flatten(group.stream(), is_test);
                let last = group.span_close().end().line;
                self.add(close, (last, last), is_test);
            }
            TokenTree::Punct(punct) => match self.tokens.last_mut() {
                Some(last) if punct.as_char() == ':' && last.text == ":" => last.text.push(':'),
                _ => self.add(&punct.as_char().to_string(), (line, line), is_test),
            },
            TokenTree::Ident(ident) => self.add(&ident.to_string(), (line, line), is_test),
            TokenTree::Literal(literal) => {
                let last = tree.span().end().line;
                self.add(&literal.to_string(), (line, last), is_test);
                if !is_test {
                    self.add_text(&literal.to_string(), tree, false);
                }
                if let Some(token) = self.tokens.last_mut() {
                    token.is_literal = true;
                }
            }
        }
    }

    fn add(&mut self, text: &str, (line, last): (usize, usize), is_test: bool) {
        let is_literal = false;
        self.tokens.push(Token { text: text.to_owned(), line, last, is_test, is_literal });
    }
}

/// What a string literal says; `None` of another kind of literal.
fn unquoted(literal: &str) -> Option<String> {
    let raw = literal.trim_start_matches('r').trim_matches('#');
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut rest = inner.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some('\n')) => while rest.next_if(|c| c.is_whitespace()).is_some() {},
            ('\\', Some(_)) => text.extend(rest.next()),
            (c, _) => text.push(c),
        }
    }
    Some(text)
}

/// The text inside an attribute's brackets without spaces, and how many trees it takes.
fn attribute(trees: &[TokenTree]) -> Option<(String, usize)> {
    let is =
        |tree: &TokenTree, mark: char| matches!(tree, TokenTree::Punct(p) if p.as_char() == mark);
    trees.first().filter(|tree| is(tree, '#'))?;
    let inner = usize::from(trees.get(1).is_some_and(|tree| is(tree, '!')));
    match trees.get(1 + inner)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            let text = group.stream().to_string();
            Some((text.split_whitespace().collect(), 2 + inner))
        }
        _ => None,
    }
}

fn is_word(token: &Token) -> bool {
    !token.is_literal && token.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        Source::parse(text).unwrap().paths().into_iter().map(|path| path.text).collect()
    }

    #[test]
    fn use_groups_are_written_out() {
        let found = paths("use std::{fs, io::{Read, Write}, time::Instant};");
        let expected = ["use", "std::fs", "std::io::Read", "std::io::Write", "std::time::Instant"];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_generic_does_not_end_the_file() {
        assert!(
            paths("let a = Vec::<u8>::new(); std::fs::read(p)").contains(&"std::fs::read".into())
        );
    }

    #[test]
    fn prose_is_not_code() {
        let source = Source::parse("//! unsafe\n/// unsafe\nfn f() {} // unsafe").unwrap();
        assert!(source.tokens.iter().all(|token| token.text != "unsafe"));
    }

    #[test]
    fn test_modules_are_told_apart_to_their_end() {
        let source = Source::parse("#[cfg(test)]\nmod tests { fn a() {} }\nfn b() {}").unwrap();
        let is_test = |name: &str| {
            source.tokens.iter().find(|token| token.text == name).map(|token| token.is_test)
        };
        assert_eq!((is_test("a"), is_test("b")), (Some(true), Some(false)));
    }
}

//! The Language Server Protocol session: documents as the client has them, settings, and one handler a protocol method.
//!
//! This is the only crate that names a type of the protocol or counts UTF-16. What is said about a document comes from
//! `crd-analyzer-workspace`; a handler takes the parameters apart, asks, and converts the answer.

#![allow(
    clippy::disallowed_methods,
    reason = "the session reads configuration, manifests and the environment"
)]

mod analysis;
mod capabilities;
mod cluster;
mod completing;
mod crossing;
mod diagnostics;
mod documents;
mod from_proto;
pub mod git;
pub mod go_sources;
mod handlers;
mod known;
mod pages;
mod progress;
mod reading;
mod recent;
mod revisions;
mod scan;
mod server;
mod session;
mod settings;
mod tasks;
mod to_proto;
mod token_lists;
mod transport;
mod trees;
mod versions;
mod workers;

use std::{path::PathBuf, sync::Arc};

use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp::LspService;

use crate::{server::Server, session::Session};

/// Requests that are worked on at a time. So many that a slow one never keeps a cancellation waiting.
const CONCURRENCY: usize = 1024;

/// The stack of a thread that judges. Schemas are followed as deep as it allows: with this for thousands of levels. It is address space,
/// not memory, until then.
const STACK_BYTES: usize = 64 << 20;

/// What is read ahead of the session.
const PIPE_BYTES: usize = 1 << 16;

/// Serves one client over standard input and output until it says `exit` or hangs up, and returns the exit code that the protocol
/// asks for: 0 after `shutdown`, 1 otherwise.
pub fn run_stdio() -> std::io::Result<u8> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .worker_threads(2)
        .thread_stack_size(STACK_BYTES)
        .thread_name("crd-analyzer")
        .build()?;
    let code = runtime.block_on(serve(tokio::io::stdin(), tokio::io::stdout(), pages::cache_folder()));
    // A read of standard input and analyses that nobody waits for must not keep the process alive.
    runtime.shutdown_background();
    Ok(code)
}

/// As [`run_stdio`], over any two streams. `cache` is a folder for what can be made again, such as the pages that findings link to.
pub async fn serve(input: impl AsyncRead + Unpin, output: impl AsyncWrite, cache: Option<PathBuf>) -> u8 {
    let mut session = None;
    let (service, socket) = LspService::build(|client| {
        let created = Arc::new(Session::new(client, cache.clone()));
        session = Some(created.clone());
        Server::new(created)
    })
    .custom_method(transport::UNREADABLE, Server::unreadable)
    .custom_method(handlers::effective_object::METHOD, Server::effective_object)
    .finish();
    let (messages, checked) = tokio::io::duplex(PIPE_BYTES);
    let serving = tower_lsp::Server::new(checked, output, socket)
        .concurrency_level(CONCURRENCY)
        .serve(service);
    // The client hangs up: the pipe ends, and so does the session. The client exits: nothing more is read.
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => {}
        () = transport::sieve(input, messages) => serving.await,
    }
    u8::from(!session.is_some_and(|it| it.is_shut_down()))
}

//! The language server: open documents, settings, and one handler for each LSP method.
//!
//! Only this crate uses LSP types and counts UTF-16. `crd-analyzer-workspace` computes the diagnostics. A handler converts the parameters, calls the
//! crate that has the answer, and converts the result.

#![allow(
    clippy::disallowed_methods,
    reason = "the session reads configuration, manifests and the environment"
)]

mod analysis;
mod aside;
mod built_documents;
mod capabilities;
mod changed_by_overlays;
mod charts;
mod checked_files;
mod cluster;
mod completion_capabilities;
mod completion_items;
mod content;
mod deferred;
mod diagnostics;
mod display_text;
mod documents;
mod earlier;
mod edits;
mod failing;
mod failing_objects;
mod first_look;
mod folders;
mod from_proto;
mod handlers;
mod late_changes;
mod limits;
mod made;
mod made_manifests;
mod names;
mod navigation;
mod older_crds;
mod overlays;
mod pages;
mod pause;
mod progress;
mod refresh;
mod request_context;
mod revisions;
mod row;
mod samples;
mod scan;
mod server;
mod server_capabilities;
mod session;
mod settings;
mod side_by_side;
mod since_revision;
mod source_context;
mod steady;
mod steady_lenses;
mod tasks;
mod test_files;
mod test_runs;
mod tested_files;
mod to_proto;
mod token_lists;
mod transport;
mod trees;
mod trials;
mod tried_texts;
mod trust;
mod untested;
mod unwatched;
mod versions;
mod waits;
mod workers;
mod workspace_index;

use std::{path::PathBuf, sync::Arc};

use lsp_types::notification::{Notification as _, SetTrace};
use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp::LspService;

use crate::{server::Server, session::Session};

/// The maximum number of concurrent requests. It is high enough that slow requests never delay the message that cancels them.
const CONCURRENCY: usize = 1 << 16;

/// The maximum number of threads that answer requests and read files. Each thread has its own stack, and a process may have little address space.
const MOST_BLOCKING: usize = 16;

/// The stack size of an analysis thread, in bytes. It suffices for schemas with thousands of levels. Unused stack takes up address space, but no
/// memory.
const STACK_BYTES: usize = 64 << 20;

/// The number of bytes to read ahead from the client.
const PIPE_BYTES: usize = 1 << 16;

/// Serves a client over standard input and output until it sends `exit` or closes the pipe. Returns the exit code that LSP requires: 0 after
/// `shutdown`, otherwise 1.
pub fn run_stdio() -> std::io::Result<u8> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .worker_threads(2)
        .max_blocking_threads(MOST_BLOCKING)
        .thread_stack_size(STACK_BYTES)
        .thread_name("crd-analyzer")
        .build()?;
    let code = runtime.block_on(serve(
        tokio::io::stdin(),
        tokio::io::stdout(),
        crd_analyzer_io::cache::folder(),
    ));
    // Do not wait for a pending read of standard input, or for analyses without a receiver. The threads end with the process: if a thread ends by itself
    // while its handle is dropped, some versions of glibc crash in `pthread_detach`.
    std::mem::forget(runtime);
    Ok(code)
}

/// Like [`run_stdio`], over any two streams. `cache` is a folder for files that can be written again at any time, such as the pages that diagnostics
/// link to.
pub async fn serve(input: impl AsyncRead + Unpin, output: impl AsyncWrite, cache: Option<PathBuf>) -> u8 {
    let mut session = None;
    let (service, socket) = LspService::build(|client| {
        let created = Arc::new(Session::new(client, cache.clone()));
        session = Some(created.clone());
        Server::new(created)
    })
    .custom_method(handlers::effective_object::METHOD, Server::effective_object)
    .custom_method(handlers::status::METHOD, Server::status)
    .custom_method(handlers::tests::LIST, Server::tests)
    .custom_method(handlers::tests::RUN, Server::run_tests)
    .custom_method(handlers::trust_granted::METHOD, Server::trust_granted)
    .custom_method(SetTrace::METHOD, Server::set_trace)
    .finish();
    let (messages, checked) = tokio::io::duplex(PIPE_BYTES);
    let serving = tower_lsp::Server::new(checked, output, socket)
        .concurrency_level(CONCURRENCY)
        .serve(transport::Answering(service));
    // If the client closes the pipe, the input ends and `serving` finishes. After `exit`, nothing more is read.
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => {}
        () = transport::filter_malformed(input, messages) => serving.await,
    }
    u8::from(!session.is_some_and(|it| it.is_shut_down()))
}

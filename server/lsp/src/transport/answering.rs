//! Answers messages that are rejected before they reach the session, whatever the state of the connection.

use std::{
    future::{Future, ready},
    pin::Pin,
    task::{Context, Poll},
};

use tower_lsp::jsonrpc::{Error, Request, Response};
use tower_service::Service;

use super::REFUSED;

/// A service that answers rejected messages itself, even before `initialize` and after `shutdown`.
pub(crate) struct Answering<S>(pub(crate) S);

impl<S: Service<Request, Response = Option<Response>>> Service<Request> for Answering<S>
where
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() != REFUSED {
            return Box::pin(self.0.call(request));
        }
        let (_, id, error) = request.into_parts();
        let error = error.and_then(|it| serde_json::from_value(it).ok());
        let answer = id.map(|id| Response::from_error(id, error.unwrap_or_else(Error::invalid_request)));
        Box::pin(ready(Ok(answer)))
    }
}

//! Tests which messages the transport forwards, and how it answers invalid ones.

use serde_json::Value;

use super::*;

const GOOD: &str = r#"{"jsonrpc":"2.0","method":"a"}"#;
const PARSE: &str = "null -32700 Parse error";
const LOST: &str = "null -32600 headers without Content-Length";
const BEFORE: &str = "null -32600 text before the headers of a message";

/// Checks the output: each expected item is a forwarded message, or the ID, code and message of an error.
async fn check(input: impl AsRef<[u8]>, expected: &[&str]) {
    let input = input.as_ref();
    let mut output = Vec::new();
    filter_malformed(input, &mut output).await;
    let output = String::from_utf8(output).expect("text");
    let messages = output.split("Content-Length: ").skip(1).map(|it| {
        let (length, body) = it.split_once("\r\n\r\n").expect("a header");
        assert_eq!(length.parse(), Ok(body.len()));
        let message: Value = serde_json::from_str(body).expect("JSON");
        if message["method"] == REFUSED {
            let error = &message["params"];
            let words = error["message"].as_str().expect("words");
            return format!("{} {} {words}", message["id"], error["code"]);
        }
        body.to_owned()
    });
    let start = String::from_utf8_lossy(&input[..input.len().min(200)]);
    assert_eq!(messages.collect::<Vec<_>>(), expected, "of {start:?}");
}

fn framed(body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// Like [`check`], with a valid message after the input, which must be forwarded.
async fn check_and_next(input: impl AsRef<[u8]>, expected: &[&str]) {
    let input = [input.as_ref(), &framed(GOOD)].concat();
    check(input, &[expected, &[GOOD]].concat()).await;
}

#[tokio::test]
async fn hands_on_messages_and_nothing_else() {
    let length = GOOD.len();
    for input in [
        String::new(),
        format!("content-length:{length}\nContent-Type: x\n\n{GOOD}"),
        format!("Content-Type: x\r\nX-Content-Length: 1\r\nCONTENT-LENGTH:{length}\r\n\r\n{GOOD}"),
        format!("Content-Length: {length}\r\nContent-Length: {length}\r\n\r\n{GOOD}"),
        format!(
            "X: {}\r\n\tContent-Length : {length}\r\n\r\n{GOOD}",
            "x".repeat(100_000)
        ),
        format!("Content-Length: {length}\r\n{}\r\n{GOOD}", "X: y\r\n".repeat(10_000)),
        format!("\r\n\r\n\nContent-Length: {length}\r\n\r\n{GOOD}"),
    ] {
        let expected: &[&str] = if input.is_empty() { &[] } else { &[GOOD] };
        check_and_next(input, expected).await;
    }
    check("Content-Length: 99\r\n\r\n{}", &[]).await;
    check("Content-Length: 9", &[]).await;
    check("", &[]).await;
}

#[tokio::test]
async fn every_id_is_answered_or_null_is() {
    let invalid = |id: &str| format!("{id} -32600 `id` must be an integer of 64 bits or a string");
    for (id, given_back) in [
        ("1.5", "null"),
        ("1e3", "1000"),
        ("1.0", "1"),
        ("-0", "0"),
        ("9223372036854775808", "null"),
        ("-9223372036854775809", "null"),
        ("18446744073709551616", "null"),
        ("1e300", "null"),
        ("null", "null"),
        ("true", "null"),
        ("{\"a\": 1}", "null"),
        ("[1]", "null"),
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#);
        check_and_next(framed(message), &[&invalid(given_back)]).await;
        // Responses are not answered.
        let result = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#);
        let accepted: &[&str] = if id == "null" { &[&result] } else { &[] };
        check_and_next(framed(&result), accepted).await;
        let error = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":1e3,"message":3}}}}"#);
        check_and_next(framed(error), &[]).await;
    }
    check_and_next(framed(r#"{"jsonrpc":"2.0","id":1e400,"method":"a"}"#), &[PARSE]).await;
    for id in [
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "\"\"",
        "\"é\"",
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#);
        check_and_next(framed(&message), &[&message]).await;
    }
}

#[tokio::test]
async fn what_is_no_request_is_answered() {
    const LIST: &str = "null -32600 a message must be one object; batches are not supported";
    const METHOD: &str = "-32600 `method` must be a string";
    for (body, expected) in [
        ("", &[PARSE][..]),
        (" ", &[PARSE]),
        ("{no}", &[PARSE]),
        ("\u{feff}{}", &[PARSE]),
        (r#"{"jsonrpc":"2.0","method":"a""#, &[PARSE]),
        ("[]", &[LIST]),
        (r#"[1,{"idx":null}]"#, &[LIST]),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"a"}]"#, &[LIST]),
        ("3", &[LIST]),
        ("null", &[LIST]),
        ("\"a\"", &[LIST]),
        ("{}", &["null -32600 `jsonrpc` must be \"2.0\""]),
        (r#"{"id":5,"method":"a"}"#, &["5 -32600 `jsonrpc` must be \"2.0\""]),
        (
            r#"{"jsonrpc":2.0,"id":5,"method":"a"}"#,
            &["5 -32600 `jsonrpc` must be \"2.0\""],
        ),
        (
            r#"{"jsonrpc":"1.0","id":"a","method":"a"}"#,
            &["\"a\" -32600 `jsonrpc` must be \"2.0\""],
        ),
        (r#"{"jsonrpc":"2.0","id":5}"#, &[&format!("null {METHOD}")]),
        (r#"{"jsonrpc":"2.0"}"#, &[&format!("null {METHOD}")]),
        (r#"{"jsonrpc":"2.0","id":5,"method":1}"#, &[&format!("5 {METHOD}")]),
        (r#"{"jsonrpc":"2.0","method":{"a":[]}}"#, &[&format!("null {METHOD}")]),
        (
            r#"{"jsonrpc":"2.0","id":5,"id":6,"method":"a"}"#,
            &["null -32600 duplicate field `id` at line 1 column 28"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"a","result":1}"#,
            &["5 -32600 a request has neither `result` nor `error`"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"exit"}"#,
            &["5 -32600 `exit` has no id"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"$/a"}"#,
            &["5 -32601 Method not found"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"$/cancelRequest"}"#,
            &["5 -32601 Method not found"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"crd-analyzer/refused","params":{"code":1,"message":"x"}}"#,
            &["5 -32601 Method not found"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"a","params":["\ud800"]}"#,
            &["5 -32600 unexpected end of hex escape at line 1 column 55"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"a","params":[1e400]}"#,
            &["5 -32600 number out of range at line 1 column 52"],
        ),
        // These produce neither a request nor an answer.
        (r#"{"jsonrpc":"2.0","method":"shutdown"}"#, &[]),
        (r#"{"jsonrpc":"2.0","id":5,"error":3}"#, &[]),
        (r#"{"id":5,"result":3}"#, &[]),
    ] {
        check_and_next(framed(body), expected).await;
    }
    for body in [
        r#"{"jsonrpc":"2.0","method":"$/a"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"a","params":[1e3,-0,1.5e-7]}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"a","params":3,"other":null}"#,
    ] {
        check_and_next(framed(body), &[body]).await;
    }
    check_and_next(
        framed(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"\xff\"}"),
        &["null -32700 Parse error"],
    )
    .await;
    check_and_next(
        framed(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\",\"b\":\"\xc3\"}"),
        &["5 -32700 Parse error"],
    )
    .await;
    check_and_next(framed(b"\xff\xfe{\0}\0"), &[PARSE]).await;
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let nested = [&open.repeat(100_000), "1", &close.repeat(100_000)].concat();
        let deep = |key: &str| framed(format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a",{key}:{nested}}}"#));
        let mut output = Vec::new();
        filter_malformed(&deep("\"params\"")[..], &mut output).await;
        let output = String::from_utf8(output).expect("text");
        assert!(
            output.contains(r#""id":7"#) && output.contains("recursion limit"),
            "{output}"
        );
        let of_id = format!(r#"{{"jsonrpc":"2.0","method":"a","id":{nested}}}"#);
        let invalid = "null -32600 `id` must be an integer of 64 bits or a string";
        check_and_next(framed(of_id), &[invalid]).await;
    }
    check_and_next(framed("[".repeat(100_000)), &[PARSE]).await;
}

#[tokio::test]
async fn goes_on_behind_a_length_that_is_wrong() {
    for (length, problem) in [
        (
            "1000000000",
            "a message of 1000000000 bytes, but 134217728 is the limit",
        ),
        ("-5", "a message of \"-5\" bytes"),
        ("99999999999999999999", "a message of \"99999999999999999999\" bytes"),
        ("x", "a message of \"x\" bytes"),
        ("0x10", "a message of \"0x10\" bytes"),
        ("", "a message of \"\" bytes"),
        ("1\r\nContent-Length: 2", "a message of 1 bytes and of 2"),
    ] {
        for body in ["{}", "", "\"a\r\nb\": {}", &"x".repeat(10_000)] {
            let input = format!("Content-Length: {length}\r\n\r\n{body}");
            check_and_next(input, &[&format!("null -32600 {problem}")]).await;
        }
    }
    let request = r#"{"jsonrpc":"2.0","id":7,"method":"a"}"#;
    let cut = "7 -32600 a header is inside the message: its Content-Length is too large";
    for length in 1..3000 {
        let expected = match length {
            // The declared length is too short: the transport skips the rest of the body.
            0..37 => PARSE,
            37 => request,
            // The declared length includes part of the next header.
            38..57 => PARSE,
            // The declared length includes the whole next header.
            _ => cut,
        };
        let input = format!("Content-Length: {length}\r\n\r\n{request}");
        check_and_next(input, &[expected]).await;
    }
    // A header inside a broken message announces a message that never arrives.
    for length in ["5", "30", "100", "1000000", "1000000000"] {
        let text = format!("no\r\nContent-Length: {length}\r\n\r\n");
        let input = [framed(text), framed(GOOD), framed(GOOD)].concat();
        let mut output = Vec::new();
        filter_malformed(&input[..], &mut output).await;
        let output = String::from_utf8(output).expect("text");
        assert!(output.ends_with(GOOD), "{length}: {output}");
        assert!(output.contains("-32600"), "{length}: {output}");
    }
    // The name of the header is split between two pieces of a long line.
    for shift in 0..40 {
        let body = "x".repeat(4096 - shift);
        let input = format!("Content-Length: x\r\n\r\n{body}");
        check_and_next(input, &["null -32600 a message of \"x\" bytes"]).await;
    }
}

#[tokio::test]
async fn goes_on_behind_headers_without_a_length() {
    for (text, expected) in [
        ("Content-Type: a\r\n\r\n{}", &[LOST][..]),
        ("Content-Type: a\r\n\r\n{}\r\n", &[LOST]),
        ("Content-Type: a\r\n\r\n{}\r\n\r\n", &[LOST]),
        ("garbage\r\n\r\n: \r\n\r\n", &[LOST]),
        ("\r\n\r\n{}", &[BEFORE]),
        ("{}", &[BEFORE]),
        ("warning: x", &[BEFORE]),
        ("\0\0\0", &[BEFORE]),
        ("\u{feff}", &[BEFORE]),
        ("content-length:2\r\r{}", &[BEFORE]),
    ] {
        check_and_next(text, expected).await;
    }
    check_and_next("x".repeat(1_000_000), &[BEFORE]).await;
}

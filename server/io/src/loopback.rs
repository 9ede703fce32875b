//! Sends requests to a server on this machine, such as a webhook that the user has named. Never contacts another machine, and uses no proxy.

use std::{
    fmt,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

/// The maximum length of a header line, in bytes.
const MAX_LINE: u64 = 8 << 10;
/// The maximum number of header lines.
const MAX_LINES: usize = 100;

/// An `http` URL whose host is this machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopbackUrl {
    address: SocketAddr,
    /// The host and port, as written in the URL.
    host: String,
    path: String,
}

/// The reason why there was an error instead of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoAnswer(String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoAnswer {}

impl LoopbackUrl {
    /// Parses `http://127.0.0.1:8080/convert`. The host must be `localhost` or a loopback address.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix("http://") else {
            return Err(format!("`{text}` does not begin with `http://`"));
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        if host.contains('@') || text.contains(|it: char| it.is_whitespace() || it.is_control()) || path.contains('#') {
            return Err(format!("`{text}` is not the address of a webhook"));
        }
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port),
            _ => (host, "80"),
        };
        let port: u16 = port.parse().map_err(|_| format!("`{port}` is not a port"))?;
        let address = match name {
            "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
            "[::1]" => IpAddr::V6(Ipv6Addr::LOCALHOST),
            other => {
                let address: Option<Ipv4Addr> = other.parse().ok();
                let address = address.filter(Ipv4Addr::is_loopback);
                IpAddr::V4(
                    address
                        .ok_or_else(|| format!("`{other}` is not this machine: use 127.0.0.1, localhost or [::1]"))?,
                )
            }
        };
        Ok(Self {
            address: SocketAddr::new(address, port),
            host: host.to_owned(),
            path: match path {
                "" => "/".to_owned(),
                query if query.starts_with('?') => format!("/{query}"),
                path => path.to_owned(),
            },
        })
    }

    /// Sends JSON, and returns the body of the answer. Fails if the body has more than `max` bytes, or if the request takes longer than `timeout`.
    pub fn post(&self, json: &[u8], max: u64, timeout: Duration) -> Result<Vec<u8>, NoAnswer> {
        let deadline = Instant::now() + timeout;
        let failed = |error: std::io::Error| {
            NoAnswer(match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                    format!("no answer from {} within {} s", self.host, timeout.as_secs())
                }
                _ => format!("{}: {error}", self.host),
            })
        };
        let mut stream = TcpStream::connect_timeout(&self.address, timeout).map_err(failed)?;
        stream.set_write_timeout(Some(timeout)).map_err(failed)?;
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.path,
            self.host,
            json.len()
        );
        stream.write_all(head.as_bytes()).map_err(failed)?;
        stream.write_all(json).map_err(failed)?;
        let mut reader = BufReader::new(UntilDeadline { stream, deadline });
        answer(&mut reader, max).map_err(|error| match error {
            Broken::Io(error) => failed(error),
            Broken::Other(why) => NoAnswer(format!("{}: {why}", self.host)),
        })
    }
}

/// A connection that can be read only until a deadline.
struct UntilDeadline {
    stream: TcpStream,
    deadline: Instant,
}

impl Read for UntilDeadline {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

enum Broken {
    Io(std::io::Error),
    Other(String),
}

impl From<std::io::Error> for Broken {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// The body of an answer with status 200.
fn answer(reader: &mut impl BufRead, max: u64) -> Result<Vec<u8>, Broken> {
    let other = |why: &str| Broken::Other(why.to_owned());
    let status = line(reader)?;
    let mut words = status.split(' ');
    if !words.next().is_some_and(|it| it.starts_with("HTTP/1.")) {
        return Err(other("the answer is not HTTP"));
    }
    let status = words.next().unwrap_or_default().to_owned();
    let (mut length, mut is_chunked) = (None, false);
    for n in 0.. {
        let header = line(reader)?;
        if header.is_empty() {
            break;
        }
        if n > MAX_LINES {
            return Err(other("the header of the answer is too long"));
        }
        let (name, value) = header.split_once(':').unwrap_or((&header, ""));
        match name.to_ascii_lowercase().as_str() {
            "content-length" => {
                let value = value.trim().parse::<u64>();
                length = Some(value.map_err(|_| other("the length of the answer is not a number"))?);
            }
            "transfer-encoding" => is_chunked = value.trim().eq_ignore_ascii_case("chunked"),
            _ => {}
        }
    }
    let body = if is_chunked {
        chunks(reader, max)?
    } else {
        let wanted = length.unwrap_or(max + 1);
        let mut body = Vec::new();
        reader.take(wanted.min(max + 1)).read_to_end(&mut body)?;
        if length.is_some_and(|it| it <= max && it != body.len() as u64) {
            return Err(other("the connection ended before the answer did"));
        }
        body
    };
    if body.len() as u64 > max {
        return Err(Broken::Other(format!("the answer has more than {max} bytes")));
    }
    if status != "200" {
        let text = String::from_utf8_lossy(&body);
        let first: String = text.lines().next().unwrap_or_default().chars().take(200).collect();
        let why = format!("HTTP status {status}: {first}");
        return Err(Broken::Other(why.trim_end_matches([':', ' ']).to_owned()));
    }
    Ok(body)
}

/// The overhead of the shortest possible chunk, in bytes.
const A_CHUNK: u64 = 8;

/// Reads a chunked body. Limits the total overhead of chunks to that of chunks with one byte each.
fn chunks(reader: &mut impl BufRead, max: u64) -> Result<Vec<u8>, Broken> {
    let mut body = Vec::new();
    let mut around = 0;
    loop {
        let size = line(reader)?;
        around += size.len() as u64 + A_CHUNK;
        if around > max.saturating_mul(A_CHUNK) + MAX_LINE {
            return Err(Broken::Other(
                "the chunks of the answer are too many or too short".to_owned(),
            ));
        }
        let digits = size.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(digits, 16)
            .map_err(|_| Broken::Other("the length of a chunk is not a number".to_owned()))?;
        if size == 0 {
            return Ok(body);
        }
        let left = (max + 1).saturating_sub(body.len() as u64);
        reader.take(size.min(left)).read_to_end(&mut body)?;
        if body.len() as u64 > max {
            return Ok(body);
        }
        if !line(reader)?.is_empty() {
            return Err(Broken::Other("a chunk does not end where it says".to_owned()));
        }
    }
}

/// Reads a line, without its line break.
fn line(reader: &mut impl BufRead) -> Result<String, Broken> {
    let mut line = Vec::new();
    reader.take(MAX_LINE).read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(Broken::Other("the connection ended before the answer did".to_owned()));
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).map_err(|_| Broken::Other("the answer is not HTTP".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn only_this_machine_is_contacted() {
        for text in [
            "http://127.0.0.1:80/x",
            "http://127.9.8.7:1/",
            "http://localhost:9443",
            "http://[::1]:80/a?b=c",
            "http://localhost",
        ] {
            assert!(LoopbackUrl::parse(text).is_ok(), "{text}");
        }
        for text in [
            "https://127.0.0.1/",
            "http://example.com/",
            "http://10.0.0.1:80/",
            "http://127.0.0.1@example.com/",
            "http://localhost.example.com/",
            "http://0.0.0.0:80/",
            "http://127.0.0.1:99999/",
            "http://127.0.0.1:80/a\r\nX: y",
            "http://127.0.0.1:80/a b",
            "127.0.0.1:80",
            "file:///etc/passwd",
        ] {
            assert!(LoopbackUrl::parse(text).is_err(), "{text}");
        }
    }

    /// The result of `post` if a server answers with these bytes, and the request that the server has received.
    fn posted(answer: &[u8], max: u64) -> (Result<Vec<u8>, NoAnswer>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = answer.to_vec();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut got = vec![0; 4096];
            let mut length = 0;
            while !got[..length].ends_with(b"{}") {
                length += stream.read(&mut got[length..]).unwrap();
            }
            stream.write_all(&answer).unwrap();
            String::from_utf8_lossy(&got[..length]).into_owned()
        });
        let url = LoopbackUrl::parse(&format!("http://127.0.0.1:{port}/convert")).unwrap();
        let result = url.post(b"{}", max, Duration::from_secs(20));
        (result, server.join().unwrap())
    }

    #[test]
    fn bodies_are_read_in_each_form() {
        for answer in [
            &b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"[..],
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\n\r\n",
            b"HTTP/1.0 200 OK\n\nhello",
        ] {
            let (result, got) = posted(answer, 100);
            assert_eq!(result.unwrap(), b"hello");
            assert!(got.starts_with("POST /convert HTTP/1.1\r\nHost: 127.0.0.1:"), "{got}");
        }
    }

    #[test]
    fn other_answers_are_failures() {
        let chunk = format!("1;{}\r\nx\r\n", "a".repeat(1_000));
        let long = format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
            chunk.repeat(50)
        );
        for (answer, words) in [
            (
                &b"HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno"[..],
                "HTTP status 500: no",
            ),
            (
                b"HTTP/1.1 302 Found\r\nLocation: http://example.com/\r\n\r\n",
                "HTTP status 302",
            ),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "ended before"),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello",
                "more than 100 bytes",
            ),
            (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhello", "not a number"),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "not a number",
            ),
            (long.as_bytes(), "too many or too short"),
            (b"hello\r\n\r\n", "not HTTP"),
            (b"", "ended before"),
        ] {
            let answer = if words.starts_with("more") {
                [answer, &[b'x'; 600]].concat()
            } else {
                answer.to_vec()
            };
            let (result, _) = posted(&answer, 100);
            let error = result.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}

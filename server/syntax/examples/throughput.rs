use crd_analyzer_syntax::tree::Span;
use std::sync::Arc;
use std::time::Instant;
fn main() {
    let mut texts = Vec::new();
    for dir in std::env::args().skip(1) {
        let mut stack = vec![std::path::PathBuf::from(dir)];
        while let Some(d) = stack.pop() {
            for e in std::fs::read_dir(d).unwrap() {
                let p = e.unwrap().path();
                if p.is_dir() {
                    stack.push(p)
                } else {
                    texts.push((
                        p.clone(),
                        Arc::<str>::from(String::from_utf8(std::fs::read(&p).unwrap()).unwrap()),
                    ));
                }
            }
        }
    }
    let bytes: usize = texts.iter().map(|t| t.1.len()).sum();
    let mut nodes = 0;
    for round in 0..3 {
        let t = Instant::now();
        let mut bad = 0;
        for (p, text) in &texts {
            match crd_analyzer_syntax::read(text, Span::new(0, text.len() as u32)) {
                Ok(tree) => nodes += tree.len(),
                Err(e) => {
                    bad += 1;
                    if round == 0 {
                        println!("{} {e}", p.display())
                    }
                }
            }
        }
        let s = t.elapsed().as_secs_f64();
        println!(
            "{} files {} bytes {bad} bad {nodes} nodes {:.1} MB/s",
            texts.len(),
            bytes,
            bytes as f64 / s / 1e6
        );
    }
}

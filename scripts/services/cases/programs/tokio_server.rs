// SPDX-License-Identifier: BSD-2-Clause
// An echo server on tokio whose planted handler runs in its pool for blocking work: tokio_server PORT WAY
use std::io::Result;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const SPIN: Duration = Duration::from_micros(500);
const SLEEP: Duration = Duration::from_millis(3);

fn spin() {
    let begin = Instant::now();
    while begin.elapsed() < SPIN {}
}

fn handler(way: &str) -> fn() {
    match way {
        "spin" => spin,
        "sleep" => || std::thread::sleep(SLEEP),
        _ => || {},
    }
}

async fn serve(mut connection: TcpStream, handle: fn()) -> Result<()> {
    connection.set_nodelay(true)?;
    let mut request = [0; 64];
    loop {
        connection.read_exact(&mut request).await?;
        tokio::task::spawn_blocking(handle).await?;
        connection.write_all(&request).await?;
    }
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let handle = handler(&words[2]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(format!("127.0.0.1:{}", words[1])).await?;
        loop {
            let (connection, _) = listener.accept().await?;
            tokio::spawn(serve(connection, handle));
        }
    })
}

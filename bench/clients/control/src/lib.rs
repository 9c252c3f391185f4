//! How the driver tells a client what to do: a line on its input, and `done` on its output when it is.
//!
//! `connect` opens the connection and makes the first call; `calls N` makes calls one after the other; `at-once WIDTH N`
//! keeps so many of them under way. Between two commands the driver reads how much time the process has used.

use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::sync::Arc;

/// Anything that goes wrong ends the run.
pub type Failure = Box<dyn Error + Send + Sync>;

/// A connection that calls are made on.
pub trait Caller: Send + Sync + 'static {
    /// Makes one call and checks its answer.
    fn call(&self) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Makes calls, so many of them at a time.
    fn at_once(self: Arc<Self>, width: u64, count: u64) -> impl Future<Output = Result<(), Failure>> + Send {
        async move {
            let one = |share: u64| {
                let caller = self.clone();
                async move {
                    for _ in 0..share {
                        caller.call().await?;
                    }
                    Ok::<(), Failure>(())
                }
            };
            let tasks: Vec<_> = (0..width).map(|_| tokio::spawn(one(count / width))).collect();
            for task in tasks {
                task.await??;
            }
            Ok(())
        }
    }
}

/// Does what the input says until it ends; `connect` gets the arguments of the process.
///
/// # Errors
///
/// A command or a call fails.
pub fn run<C: Caller>(connect: impl AsyncFn(&[String]) -> Result<C, Failure>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut caller: Option<Arc<C>> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), &caller) {
            (["connect"], _) => {
                let connected = Arc::new(runtime.block_on(connect(&arguments))?);
                runtime.block_on(connected.call())?;
                caller = Some(connected);
            }
            (["calls", count], Some(caller)) => {
                let count = count.parse::<u64>()?;
                runtime.block_on(async {
                    for _ in 0..count {
                        caller.call().await?;
                    }
                    Ok::<(), Failure>(())
                })?;
            }
            (["at-once", width, count], Some(caller)) => {
                let (width, count) = (width.parse()?, count.parse()?);
                runtime.block_on(caller.clone().at_once(width, count))?;
            }
            _ => return Err(format!("`{line}` is no command here").into()),
        }
        println!("done");
        std::io::stdout().flush()?;
    }
    // A connection is closed in its runtime, and nothing that it still waits for keeps the process.
    let _inside = runtime.enter();
    drop(caller);
    Ok(())
}

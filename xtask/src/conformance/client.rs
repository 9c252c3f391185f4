//! The client's side: every scenario alone, in a process of its own, so that its end counts too.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::checks::{self, Complaint, Run, Scenario, Side};
use super::house::{House, Known, VERSIONS};
use super::minimum::Minimum;
use super::options::Options;
use super::requirements;
use crate::process::tail;

/// The revisions at which the scenarios of extensions are run: the suite's own choice, and the newest.
const OF_EXTENSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Runs a client, and writes down how it ended; the suite adds the address of its server as the last word.
const SCRIPT: &str = "#!/bin/sh\n\"$1\" \"$3\"\nstatus=$?\necho \"$status\" > \"$2\"\nexit \"$status\"\n";

/// One scenario at one revision.
struct Task<'a> {
    name: &'a str,
    version: &'a str,
    /// The words by which the suite runs it there.
    words: Vec<&'a str>,
    /// Which of the runs it belongs to.
    run: usize,
}

/// Runs all that is chosen with a program.
pub(crate) fn run(
    house: &House,
    options: &Options,
    minimum: &Minimum,
    program: &str,
) -> Result<Vec<Run>, String> {
    let known = house.scenarios(Side::Client)?;
    let known: Vec<&Known> = known.iter().filter(|known| options.wants(&known.name)).collect();
    let mut runs: Vec<Run> = VERSIONS.iter().map(|version| empty(version)).collect();
    runs.extend(OF_EXTENSIONS.iter().map(|version| empty(&format!("extensions at {version}"))));
    let tasks = tasks(&known);
    let script = house.write("client.sh", SCRIPT)?;
    eprintln!("conformance: client, {} scenarios one by one", tasks.len());
    let outcomes = in_parallel(&tasks, |task| alone(house, task, program, &script, minimum));
    for (task, outcome) in tasks.iter().zip(outcomes) {
        if let Some(run) = runs.get_mut(task.run) {
            run.scenarios.push(outcome?);
        }
    }
    if options.is_whole() && !options.is_self_check {
        runs.push(requirements::run(house, Side::Client, &["--command".to_owned(), program.to_owned()])?);
    }
    Ok(runs)
}

fn empty(label: &str) -> Run {
    Run { side: Side::Client, label: label.to_owned(), scenarios: Vec::new() }
}

/// Lists what is to be run: each scenario at every revision that has it, those of extensions at two.
fn tasks<'a>(known: &[&'a Known]) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for known in known {
        let name = known.name.as_str();
        let of_extension = OF_EXTENSIONS.iter().enumerate().filter(|_| known.is_of_extension());
        for (at, version) in VERSIONS.iter().enumerate().filter(|(_, version)| known.is_at(version)) {
            tasks.push(Task { name, version, words: vec!["--spec-version", version], run: at });
        }
        for (at, version) in of_extension {
            // No revision has it, so that the suite must be made to run it at one.
            let words = vec!["--spec-version", version, "--force"];
            tasks.push(Task { name, version, words, run: VERSIONS.len() + at });
        }
    }
    tasks
}

/// Runs the function over all, as many at a time as there are processors, and keeps their order.
fn in_parallel<T: Sync, R: Send>(items: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        } {
            done.push((at, act(item)));
        }
        done
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Runs one scenario.
fn alone(
    house: &House,
    task: &Task<'_>,
    program: &str,
    script: &Path,
    minimum: &Minimum,
) -> Result<Scenario, String> {
    let Task { name, version, words, .. } = task;
    let results = house.fresh(&format!("client/{version}/{name}"))?;
    let status = results.join("status");
    let command = format!("sh {} {program} {}", script.display(), status.display());
    let mut all = ["client", "--command", &command, "--scenario", name, "-o"].map(str::to_owned).to_vec();
    all.push(results.to_string_lossy().into_owned());
    all.extend(words.iter().map(ToString::to_string));
    let finished = house.suite(&all, &format!("client-{version}-{}", name.replace('/', "-")))?;
    let mut scenario = checks::read_one(&results, name)?;
    let ended = std::fs::read_to_string(&status).unwrap_or_default();
    match ended.trim() {
        "0" => {}
        "" => scenario.failed.push(Complaint::new("exit", "the client did not end")),
        code => {
            let said = finished.stdout.lines().chain(finished.stderr.lines());
            let said: Vec<&str> = said.filter(|line| line.contains("conformance-client: ")).collect();
            let message = format!("the client ended with {code}\n  {}", said.join("\n  "));
            scenario.failed.push(Complaint::new("exit", message.trim_end()));
        }
    }
    if scenario.is_well() && !finished.status.success() {
        scenario.failed.push(Complaint::new("suite", tail(&finished.stdout)));
    }
    minimum.hold(Side::Client, version, &mut scenario);
    Ok(scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_runs_at_each_of_its_revisions_and_one_of_an_extension_at_two() {
        let known = |name: &str, versions: &[&str]| Known {
            name: name.to_owned(),
            versions: versions.iter().map(ToString::to_string).collect(),
        };
        let (plain, extended) = (known("a", &["2025-06-18", "2026-07-28"]), known("b", &[]));
        let found: Vec<String> = tasks(&[&plain, &extended])
            .iter()
            .map(|task| format!("{} {} {}", task.name, task.version, task.run))
            .collect();
        assert_eq!(found, ["a 2025-06-18 1", "a 2026-07-28 3", "b 2025-11-25 4", "b 2026-07-28 5"]);
    }

    #[test]
    fn what_runs_in_parallel_keeps_its_order() {
        let numbers: Vec<usize> = (0..100).collect();
        let doubled: Vec<usize> = numbers.iter().map(|number| number * 2).collect();
        assert_eq!(in_parallel(&numbers, |number| number * 2), doubled);
    }
}

//! One file a command; here only the choice among them.

pub mod about;
pub mod add;
pub mod answer;
pub mod bench;
pub mod bench_device;
pub mod bench_job;
pub mod bench_jobs;
pub mod bench_scratch;
pub mod clean;
pub mod compare;
pub mod consent;
pub mod demo;
pub mod devices;
pub mod figures;
pub mod fit;
mod fit_earlier;
mod hopeless;
pub mod label;
pub mod lifecycle;
mod notify;
pub mod pasted;
pub mod plan;
pub mod probe;
mod push;
pub mod quick;
pub mod resume;
pub mod rm;
pub mod run;
pub mod runs;
pub mod scheduled;
mod setup;
pub mod show;
pub mod stored;
mod unkept;
mod watch;
mod watch_writes;

use crate::cli::history::RunsAction;
use crate::cli::{Args, Command, DevicesArgs};
use crate::fault::{Fault, Outcome};

pub fn run(args: Args) -> Result<Outcome, Fault> {
    let Args { global, command, .. } = args;
    if !puts_back(command.as_ref()) {
        clean::hint(&global);
    }
    match command {
        None => devices::run(&global, &DevicesArgs::default()),
        Some(Command::Devices(args)) => devices::run(&global, &args),
        Some(Command::Quick(args)) => quick::run(&global, &args),
        Some(Command::Demo(args)) => demo::run(&global, &args),
        Some(Command::Fit(args)) => fit::run(&global, &args),
        Some(Command::Plan(args)) => plan::run(&global, &args),
        Some(Command::Run(args)) => run::run(&global, &args),
        Some(Command::Probe(args)) => probe::run(&global, &args),
        Some(Command::Bench(args)) => bench::run(&global, &args),
        Some(Command::Resume(args)) => resume::run(&global, &args),
        Some(Command::Clean(args)) => clean::run(&global, &args),
        Some(Command::Runs(args)) => match &args.action {
            None => runs::run(&global, &args),
            Some(RunsAction::Add(args)) => add::run(&global, args),
            Some(RunsAction::Label(args)) => label::run(&global, args),
            Some(RunsAction::Rm(args)) => rm::run(&global, args),
            Some(RunsAction::Push(args)) => push::run(&global, args),
        },
        Some(Command::Show(args)) => show::run(&global, &args),
        Some(Command::Compare(args)) => compare::run(&global, &args),
        Some(Command::Watch(args)) => watch::run(&global, &args),
        Some(Command::Serve(args)) => crate::serve::run(&global, &args),
    }
}

fn puts_back(command: Option<&Command>) -> bool {
    use Command::{Clean, Demo, Fit, Quick, Resume, Run};
    matches!(command, Some(Quick(_) | Demo(_) | Fit(_) | Run(_) | Resume(_) | Clean(_)))
}

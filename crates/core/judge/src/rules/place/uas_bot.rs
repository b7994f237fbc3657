//! L58 uas-bot: a USB 3 drive takes one command at a time (BOT).

use super::drive;
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::Place;
use bakeoff_model::link::Transport;

pub const ID: &str = "L58";

pub fn in_plan(_: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place)?;
    let link = drive.link.as_ref().filter(|l| l.transport() == Some(Transport::Bot))?;
    let fast = bakeoff_model::boards::link::capacity_bytes_per_s(link)? > 100e6;
    fast.then(|| {
        let evidence = format!("{}: {link}, one command at a time", drive.name);
        let advice = "check dmesg for the reason; an enclosure with UAS is faster";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{disk_of, fires, places};

    #[test]
    fn l58_a_fast_link_with_one_command_at_a_time() {
        let link = |l: &'static str| places(|p| disk_of(p).link = Some(l.into()));
        assert!(fires("L58", &link("USB 5000 Mb/s, BOT")));
        assert!(
            !fires("L58", &link("USB 5000 Mb/s, UAS")) && !fires("L58", &link("USB 480 Mb/s, BOT"))
        );
    }
}

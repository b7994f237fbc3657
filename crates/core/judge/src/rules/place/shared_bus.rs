//! L56 shared-bus: a USB drive and the network share one port of the board.

use super::places;
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::PlaceClass;

/// Boards whose USB ports and Ethernet share one controller.
const ONE_BUS: [&str; 4] =
    ["Raspberry Pi Model", "Raspberry Pi 2", "Raspberry Pi 3", "Raspberry Pi Zero"];

/// The part of L56 that is known before: a network place beside a USB drive on a board of one bus.
pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let model = design.host.model.as_deref()?;
    let is_one = ONE_BUS.iter().any(|m| model.starts_with(m));
    let all = places(design);
    let on_usb = all.iter().find(|(_, p)| p.disks().any(|d| d.bus.as_deref() == Some("usb")))?;
    let on_net = all.iter().find(|(_, p)| p.class == PlaceClass::Network)?;
    is_one.then(|| {
        let evidence = format!(
            "{} and {} share the one USB port of a {model}",
            on_usb.0.unwrap_or("the drive"),
            on_net.0.unwrap_or("the network")
        );
        Hit::new(evidence, "measure each in a separate run of bakeoff quick")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::before::{disk_of, fires};
    use crate::testing::RunBuilder;

    #[test]
    fn l56_a_disk_and_a_network_on_one_bus() {
        let on = |board: &'static str, bus: &'static str| {
            RunBuilder::directories(&["/a", "/net"])
                .place(0, |p| disk_of(p).bus = Some(bus.to_string()))
                .place(1, |p| {
                    p.class = PlaceClass::Network;
                    p.chain.clear();
                })
                .header(|h| h.host.model = Some(board.to_string()))
                .build()
        };
        assert!(fires("L56", &on("Raspberry Pi 3 Model B Plus", "usb")));
        assert!(!fires("L56", &on("Raspberry Pi 4 Model B", "usb")));
        assert!(!fires("L56", &on("Raspberry Pi 3 Model B Plus", "mmc")));
    }
}

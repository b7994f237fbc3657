//! The machine of the sample, with every field of its fingerprint.

use bakeoff_model::host::Host;

/// A Raspberry Pi.
pub fn host() -> Host {
    Host {
        hostname: "pi".into(),
        model: Some("Raspberry Pi 4 Model B Rev 1.4".into()),
        cpu: Some("Cortex-A72".into()),
        cpus: 4,
        arch: "aarch64".into(),
        mem_total_bytes: 4 << 30,
        kernel: "6.12.47+rpt-rpi-v8".into(),
        os: Some("Debian GNU/Linux 13 (trixie)".into()),
        governors: vec!["ondemand".into()],
        aes: Some(false),
        clocksource: Some("arch_sys_counter".into()),
        boot_id: Some("6f1c".into()),
        board_id: Some("9f86".into()),
        settings: vec![("vm.dirty_ratio".into(), "20".into())],
    }
}

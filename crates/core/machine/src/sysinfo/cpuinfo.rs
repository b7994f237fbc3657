//! `/proc/cpuinfo`: the processor, on x86 and on ARM, which say it in different words.

use bakeoff_stats::tables::Table;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpuinfo {
    /// `model name`, or the ARM part where the kernel gives no name, or `Hardware`.
    pub name: Option<String>,
    /// Whether it has AES instructions; `None` when the file lists no features.
    pub aes: Option<bool>,
    pub cpus: u32,
    /// `Model` of Raspberry Pi kernels: "Raspberry Pi 4 Model B Rev 1.4".
    pub board: Option<String>,
}

/// Reads `/proc/cpuinfo`.
pub fn parse(text: &str) -> Cpuinfo {
    let mut info = Cpuinfo::default();
    let (mut implementer, mut part, mut hardware) = (None, None, None);
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match name.trim() {
            "processor" if value.parse::<u32>().is_ok() => info.cpus = info.cpus.saturating_add(1),
            "model name" | "Processor" if info.name.is_none() && !value.is_empty() => {
                info.name = Some(value.to_string());
            }
            "flags" | "Features" if info.aes.is_none() => {
                info.aes = Some(value.split_ascii_whitespace().any(|flag| flag == "aes"));
            }
            "CPU implementer" => implementer = Some(value),
            "CPU part" => part = Some(value),
            "Hardware" => hardware = Some(value.to_string()),
            "Model" => info.board = Some(value.to_string()),
            _ => {}
        }
    }
    // 64-bit ARM kernels print numbers only; a core's name says more than the chip's.
    info.name =
        info.name.or_else(|| arm_core(implementer?, part?).map(str::to_string)).or(hardware);
    info
}

/// Cores by ARM (implementer 0x41) that Raspberry Pis and their like have; numbers from the
/// "Main ID Register" of each core's technical reference manual.
fn arm_core(implementer: &str, part: &str) -> Option<&'static str> {
    const CORES: Table<2> = Table::new(include_str!("../../data/arm_cores.csv"));
    let core = CORES.rows().find(|[_, number]| *number == part);
    core.filter(|_| implementer == "0x41").map(|[name, _]| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x86_names_the_model_and_lists_flags() {
        let text = "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu aes xsave\n\n\
            processor\t: 1\nmodel name\t: AMD EPYC\nflags\t\t: fpu aes xsave\n";
        let info = parse(text);
        assert_eq!(info.name.as_deref(), Some("AMD EPYC"));
        assert_eq!((info.aes, info.cpus), (Some(true), 2));
    }

    #[test]
    fn raspberry_pi_1_has_a_model_name_and_no_aes() {
        let text = "processor\t: 0\nmodel name\t: ARMv6-compatible processor rev 7 (v6l)\n\
            Features\t: half thumb fastmult vfp edsp java tls\nCPU implementer\t: 0x41\n\
            CPU part\t: 0xb76\n\nHardware\t: BCM2835\nRevision\t: 000e\n\
            Model\t\t: Raspberry Pi Model B Rev 2\n";
        let info = parse(text);
        assert_eq!(info.name.as_deref(), Some("ARMv6-compatible processor rev 7 (v6l)"));
        assert_eq!(info.aes, Some(false));
        assert_eq!(info.board.as_deref(), Some("Raspberry Pi Model B Rev 2"));
    }

    #[test]
    fn arm64_gives_numbers_and_they_are_named() {
        let text = "processor\t: 0\nFeatures\t: fp asimd evtstrm aes pmull sha1 crc32\n\
            CPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\nRevision\t: c04170\n";
        assert_eq!(parse(text).name.as_deref(), Some("Cortex-A76"));
        assert_eq!(parse(text).aes, Some(true));
        assert_eq!(parse("Hardware : BCM2835\n").name.as_deref(), Some("BCM2835"));
        assert_eq!(parse(""), Cpuinfo::default());
    }
}

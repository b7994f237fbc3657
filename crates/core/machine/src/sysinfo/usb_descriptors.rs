//! `descriptors` of a USB device in /sys: its device and configuration descriptors as bytes.
//!
//! Source: `Documentation/ABI/testing/sysfs-bus-usb`; Universal Serial Bus Specification 2.0, table
//! 9-12; USB Attached SCSI names protocol 0x62 of class 8, subclass 6.

/// Whether the device offers an interface that queues commands (UAS); `None` when the bytes are no
/// descriptors.
pub fn offers_uas(bytes: &[u8]) -> Option<bool> {
    const INTERFACE: u8 = 4;
    const MASS_STORAGE_UAS: [u8; 3] = [8, 6, 0x62];
    let mut rest = bytes;
    let mut saw_interface = false;
    while let [length, kind, ..] = rest {
        let length = usize::from(*length);
        // Shorter than its own head: what follows cannot be found.
        let descriptor = rest.get(..length).filter(|_| length >= 2)?;
        if *kind == INTERFACE {
            saw_interface = true;
            if descriptor.get(5..8) == Some(&MASS_STORAGE_UAS[..]) {
                return Some(true);
            }
        }
        rest = &rest[length..];
    }
    saw_interface.then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: [u8; 18] = [18, 1, 0x10, 3, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1, 2, 3, 1];
    const BOT: [u8; 9] = [9, 4, 0, 0, 2, 8, 6, 0x50, 0];
    const UAS: [u8; 9] = [9, 4, 0, 1, 4, 8, 6, 0x62, 0];
    const ENDPOINT: [u8; 7] = [7, 5, 0x81, 2, 0, 4, 0];

    #[test]
    fn the_second_setting_of_an_interface_may_be_uas() {
        let bot = [&DEVICE[..], &BOT, &ENDPOINT].concat();
        assert_eq!(offers_uas(&bot), Some(false));
        assert_eq!(offers_uas(&[&bot[..], &UAS, &ENDPOINT].concat()), Some(true));
        assert_eq!(offers_uas(&DEVICE), None);
        assert_eq!(offers_uas(&[0, 4]), None);
        assert_eq!(offers_uas(&[200, 4, 0]), None);
        assert_eq!(offers_uas(&[]), None);
    }
}

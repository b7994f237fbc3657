//! The identifier of a partition table, which wipefs does not list. Source: UEFI 2.10 section 5.

/// Bytes of a drive's start that contain it.
pub const HEAD_BYTES: usize = 8192;

fn le16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Identifier of the partition table in the first sectors: the drive's GUID of a GPT, the signature
/// of an MBR, as blkid writes them.
pub fn table_id(kind: &str, head: &[u8]) -> Option<String> {
    match kind {
        "gpt" => [512, 4096].into_iter().find_map(|sector| gpt(head.get(sector..)?)),
        "dos" => le32(head, 440).filter(|id| *id != 0).map(|id| format!("{id:08x}")),
        _ => None,
    }
}

fn gpt(header: &[u8]) -> Option<String> {
    header.starts_with(b"EFI PART").then_some(())?;
    let guid: [u8; 16] = *header.get(56..)?.first_chunk()?;
    let (a, b, c) = (le32(&guid, 0)?, le16(&guid, 4)?, le16(&guid, 6)?);
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    Some(format!("{a:08x}-{b:04x}-{c:04x}-{}-{}", hex(&guid[8..10]), hex(&guid[10..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_reads_say_nothing() {
        assert_eq!(table_id("gpt", &[0; 600]), None);
        assert_eq!(table_id("dos", &[0; 512]), None);
    }

    #[test]
    fn tables_are_named_as_blkid_names_them() {
        let mut head = vec![0; 8192];
        head[440..444].copy_from_slice(&[0xd4, 0xc3, 0xb2, 0xa1]);
        assert_eq!(table_id("dos", &head).as_deref(), Some("a1b2c3d4"));
        head[512..520].copy_from_slice(b"EFI PART");
        let guid: Vec<u8> = (1..=16).collect();
        head[568..584].copy_from_slice(&guid);
        let id = table_id("gpt", &head);
        assert_eq!(id.as_deref(), Some("04030201-0605-0807-090a-0b0c0d0e0f10"));
    }
}

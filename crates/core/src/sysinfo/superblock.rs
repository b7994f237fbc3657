//! What superblocks say beside their identity: size, used space, time of the last write.
//!
//! Read from the first bytes of a filesystem, so that they need no mount and no tool of each
//! filesystem. Nothing is changed by them and nothing is decided by them: they are for people.
//! Sources: Linux `fs/ext4/ext4.h`, `fs/xfs/libxfs/xfs_format.h`, `fs/btrfs` ("btrfs_super_block"),
//! the exFAT specification; UEFI 2.10 section 5 for GPT.

/// Bytes of a device that are enough for everything here.
pub const HEAD_BYTES: usize = (64 << 10) + 4096;

/// What is known; `None` where the superblock does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Size of the filesystem.
    pub size_bytes: Option<u64>,
    /// Used of it.
    pub used_bytes: Option<u64>,
    /// Last written, seconds since 1970.
    pub written_s: Option<u64>,
}

/// Reads the superblock of a filesystem of that kind at the start of `head`.
pub fn usage(kind: &str, head: &[u8]) -> Usage {
    let read = match kind {
        "ext2" | "ext3" | "ext4" => ext(head),
        "xfs" => xfs(head),
        "btrfs" => btrfs(head),
        "exfat" => exfat(head),
        _ => None,
    };
    read.unwrap_or_default()
}

fn le16(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
}

fn le32(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
}

fn le64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?)))
}

fn be64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn sized(blocks: u64, free: u64, block_bytes: u64) -> Usage {
    let bytes = |blocks: u64| blocks.checked_mul(block_bytes);
    let used_bytes = blocks.checked_sub(free).and_then(bytes);
    Usage { size_bytes: bytes(blocks), used_bytes, written_s: None }
}

fn ext(head: &[u8]) -> Option<Usage> {
    const INCOMPAT_64BIT: u64 = 0x80;
    let at = head.get(1024..)?;
    let block_bytes = 1024u64.checked_shl(le32(at, 0x18)?.try_into().ok()?)?;
    let is_64bit = le32(at, 0x60)? & INCOMPAT_64BIT != 0;
    let high = |at_high: usize| if is_64bit { le32(at, at_high) } else { Some(0) };
    let blocks = le32(at, 0x4)? | high(0x150)? << 32;
    let free = le32(at, 0xc)? | high(0x158)? << 32;
    let byte = |i: usize| at.get(i).copied().map(u64::from);
    // Written and mounted, whichever was later; each has a byte beyond the year 2038.
    let written = le32(at, 0x30)? | byte(0x274)? << 32;
    let mounted = le32(at, 0x2c)? | byte(0x275)? << 32;
    Some(Usage { written_s: Some(written.max(mounted)), ..sized(blocks, free, block_bytes) })
}

fn xfs(head: &[u8]) -> Option<Usage> {
    Some(sized(be64(head, 8)?, be64(head, 144)?, be32(head, 4)?))
}

fn btrfs(head: &[u8]) -> Option<Usage> {
    let at = head.get(64 << 10..)?;
    let (size_bytes, used_bytes) = (le64(at, 0x70), le64(at, 0x78));
    Some(Usage { size_bytes, used_bytes, written_s: None })
}

fn exfat(head: &[u8]) -> Option<Usage> {
    let sector_bytes = 1u64.checked_shl(u32::from(*head.get(108)?))?;
    let size_bytes = le64(head, 72)?.checked_mul(sector_bytes);
    // Percent of the clusters; 0xff where nobody counted.
    let percent = u64::from(*head.get(112)?);
    let used_bytes = size_bytes.filter(|_| percent <= 100).map(|size| size / 100 * percent);
    Some(Usage { size_bytes, used_bytes, written_s: None })
}

/// Identifier of the partition table in the first sectors: the disk's GUID of a GPT, the signature
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
    fn ext4_says_size_use_and_age() {
        let mut head = vec![0; HEAD_BYTES];
        let mut put = |at: usize, value: u32| {
            head[1024 + at..][..4].copy_from_slice(&value.to_le_bytes());
        };
        put(0x4, 1000);
        put(0xc, 900);
        put(0x18, 2);
        put(0x30, 1_700_000_000);
        put(0x2c, 1_600_000_000);
        let found = usage("ext4", &head);
        assert_eq!((found.size_bytes, found.used_bytes), (Some(4_096_000), Some(409_600)));
        assert_eq!(found.written_s, Some(1_700_000_000));
    }

    #[test]
    fn nonsense_and_short_reads_say_nothing() {
        for kind in ["ext4", "xfs", "btrfs", "exfat", "vfat"] {
            assert_eq!(usage(kind, &[0xff; 100]), Usage::default(), "{kind}");
            let _ = usage(kind, &vec![0xff; HEAD_BYTES]);
        }
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

//! What superblocks contain besides their identity: size, used space, age.
//!
//! Read from the first bytes of a filesystem, so that they need no mount and no tool of each
//! filesystem. Nothing is changed by them and nothing is decided by them: they are for people.
//! Sources: Linux `fs/ext4/ext4.h`, `fs/xfs/libxfs/xfs_format.h`, `fs/btrfs` ("btrfs_super_block"),
//! `fs/ntfs3/ntfs.h`, the exFAT specification; UEFI 2.10 section 5 for GPT.

pub const HEAD_BYTES: usize = (64 << 10) + 4096;

/// What is known; `None` where the superblock does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpaceUsage {
    pub size_bytes: Option<u64>,
    pub used_bytes: Option<u64>,
    /// Last written, seconds since 1970.
    pub written_s: Option<u64>,
    /// Created, seconds since 1970. btrfs, exFAT and FAT do not say so near their start.
    pub made_s: Option<u64>,
}

/// Reads the superblock of a filesystem of that kind at the start of `head`.
pub fn usage(kind: &str, head: &[u8]) -> SpaceUsage {
    let read = match kind {
        "ext2" | "ext3" | "ext4" => ext(head),
        "xfs" => xfs(head),
        "btrfs" => btrfs(head),
        "exfat" => exfat(head),
        "ntfs" => ntfs(head),
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

fn be16(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?)))
}

fn be64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn sized(blocks: u64, free: u64, block_bytes: u64) -> SpaceUsage {
    let bytes = |blocks: u64| blocks.checked_mul(block_bytes);
    let used_bytes = blocks.checked_sub(free).and_then(bytes);
    SpaceUsage { size_bytes: bytes(blocks), used_bytes, ..SpaceUsage::default() }
}

fn ext(head: &[u8]) -> Option<SpaceUsage> {
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
    Some(SpaceUsage { written_s: Some(written.max(mounted)), ..sized(blocks, free, block_bytes) })
}

fn xfs(head: &[u8]) -> Option<SpaceUsage> {
    let sized = sized(be64(head, 8)?, be64(head, 144)?, be32(head, 4)?);
    Some(SpaceUsage { made_s: xfs_made_s(head), ..sized })
}

/// When the root inode was created: versions from 5 on keep that, in nanoseconds since 1901 where
/// the inode has `XFS_DIFLAG2_BIGTIME`. mkfs.xfs puts it in the first blocks.
fn xfs_made_s(head: &[u8]) -> Option<u64> {
    const VERSION_5: u64 = 5;
    const BIGTIME: u64 = 8;
    (be16(head, 100)? & 0xf == VERSION_5).then_some(())?;
    let (root, per_block) = (be64(head, 56)?, u32::from(*head.get(123)?));
    let block = root.checked_shr(per_block)?;
    let slot = root & 1u64.checked_shl(per_block)?.wrapping_sub(1);
    let at = block.checked_mul(be32(head, 4)?)?.checked_add(slot.checked_mul(be16(head, 104)?)?)?;
    let inode = head.get(usize::try_from(at).ok()?..)?;
    inode.starts_with(b"IN").then_some(())?;
    let created = be64(inode, 144)?;
    match be64(inode, 120)? & BIGTIME {
        0 => Some(created >> 32),
        _ => (created / 1_000_000_000).checked_sub(1 << 31),
    }
}

/// The creation time of the file table, where it begins near the start: in 100 ns since 1601.
fn ntfs(head: &[u8]) -> Option<SpaceUsage> {
    const STANDARD_INFORMATION: u64 = 0x10;
    const SECONDS_TO_1970: u64 = 11_644_473_600;
    let sector_bytes = le16(head, 11)?;
    let size_bytes = le64(head, 40)?.checked_mul(sector_bytes);
    let made_s = || {
        let cluster_bytes = sector_bytes * u64::from(*head.get(13)?);
        let record =
            head.get(usize::try_from(le64(head, 48)?.checked_mul(cluster_bytes)?).ok()?..)?;
        record.starts_with(b"FILE").then_some(())?;
        let attribute = record.get(usize::try_from(le16(record, 20)?).ok()?..)?;
        (le32(attribute, 0)? == STANDARD_INFORMATION).then_some(())?;
        let content = attribute.get(usize::try_from(le16(attribute, 20)?).ok()?..)?;
        (le64(content, 0)? / 10_000_000).checked_sub(SECONDS_TO_1970)
    };
    Some(SpaceUsage { size_bytes, made_s: made_s(), ..SpaceUsage::default() })
}

fn btrfs(head: &[u8]) -> Option<SpaceUsage> {
    let at = head.get(64 << 10..)?;
    let (size_bytes, used_bytes) = (le64(at, 0x70), le64(at, 0x78));
    Some(SpaceUsage { size_bytes, used_bytes, ..SpaceUsage::default() })
}

fn exfat(head: &[u8]) -> Option<SpaceUsage> {
    let sector_bytes = 1u64.checked_shl(u32::from(*head.get(108)?))?;
    let size_bytes = le64(head, 72)?.checked_mul(sector_bytes);
    // Percent of the clusters; 0xff where nobody counted.
    let percent = u64::from(*head.get(112)?);
    let used_bytes = size_bytes.filter(|_| percent <= 100).map(|size| size / 100 * percent);
    Some(SpaceUsage { size_bytes, used_bytes, ..SpaceUsage::default() })
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
        for kind in ["ext4", "xfs", "btrfs", "exfat", "ntfs", "vfat"] {
            assert_eq!(usage(kind, &[0xff; 100]), SpaceUsage::default(), "{kind}");
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

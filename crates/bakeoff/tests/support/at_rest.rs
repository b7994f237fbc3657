//! Superblocks of members at rest, written by hand where their programs need a kernel that tests
//! lack.

// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::os::unix::fs::FileExt;

const SECTOR_BYTES: u64 = 512;

/// A member of the array `home:photos` with a superblock of version 1.2, 4 KiB from the start.
pub fn md_1_2(device: &File) {
    md(device, 4096);
}

/// The same with version 1.0, 8 KiB before the end.
pub fn md_1_0(device: &File) {
    md(device, (device.metadata().unwrap().len() - 8192) / 4096 * 4096);
}

/// Source: Linux include/uapi/linux/raid/md_p.h, "struct mdp_superblock_1".
fn md(device: &File, at: u64) {
    const MAGIC: u32 = 0xa92b_4efc;
    const DEVICES: u32 = 2;
    let mut block = vec![0; 256 + 2 * DEVICES as usize];
    let sectors = device.metadata().unwrap().len() / SECTOR_BYTES - 2048;
    put(&mut block, 0, &MAGIC.to_le_bytes());
    put(&mut block, 4, &1u32.to_le_bytes());
    put(&mut block, 16, &std::array::from_fn::<u8, 16, _>(|i| i as u8));
    put(&mut block, 32, b"home:photos");
    // Level, size of a member, count of members, where data and superblock are.
    put(&mut block, 72, &1u32.to_le_bytes());
    put(&mut block, 80, &sectors.to_le_bytes());
    put(&mut block, 92, &DEVICES.to_le_bytes());
    put(&mut block, 128, &2048u64.to_le_bytes());
    put(&mut block, 136, &sectors.to_le_bytes());
    put(&mut block, 144, &(at / SECTOR_BYTES).to_le_bytes());
    put(&mut block, 220, &DEVICES.to_le_bytes());
    // The sum of all words, with what does not fit into one added.
    let words = block.chunks(4).map(|word| u64::from(u32::from_le_bytes(word.try_into().unwrap())));
    let sum: u64 = words.sum();
    let folded = (sum & 0xffff_ffff) + (sum >> 32);
    put(&mut block, 216, &(folded as u32).to_le_bytes());
    device.write_all_at(&block, at).unwrap();
}

/// A member of the pool `photos`: the four labels, each with its list of names and values and its
/// ring of uberblocks. Source: OpenZFS include/sys/vdev_impl.h and uberblock_impl.h.
pub fn zfs(device: &File) {
    const MAGIC: u64 = 0x00ba_b10c;
    const LABEL_BYTES: u64 = 256 << 10;
    let end = device.metadata().unwrap().len() / LABEL_BYTES * LABEL_BYTES;
    // XDR, big endian; then version and flags of the list.
    let mut list = vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    list.extend(pair("version", &number(5000)));
    list.extend(pair("name", &text("photos")));
    list.extend(pair("pool_guid", &number(1_234_567_890_123_456_789)));
    list.extend(pair("guid", &number(987_654_321_098_765_432)));
    list.extend([0; 8]);
    let uberblock = [MAGIC, 5000, 4, 1, 1_700_000_000].map(u64::to_le_bytes).concat();
    for label in [0, LABEL_BYTES, end - 2 * LABEL_BYTES, end - LABEL_BYTES] {
        device.write_all_at(&list, label + (16 << 10)).unwrap();
        for i in 0..128 {
            device.write_all_at(&uberblock, label + (128 << 10) + i * 1024).unwrap();
        }
    }
}

/// A name with its value, preceded by the bytes they take encoded and decoded.
fn pair(name: &str, value: &[u8]) -> Vec<u8> {
    let body = [string(name), value.to_vec()].concat();
    let bytes = (8 + body.len() as u32).to_be_bytes();
    [&bytes, &bytes, &body[..]].concat()
}

/// Type "uint64", one value.
fn number(value: u64) -> Vec<u8> {
    [&8u32.to_be_bytes()[..], &1u32.to_be_bytes(), &value.to_be_bytes()].concat()
}

/// Type "string", one value.
fn text(value: &str) -> Vec<u8> {
    [&9u32.to_be_bytes()[..], &1u32.to_be_bytes(), &string(value)].concat()
}

/// Length, then bytes filled up to a multiple of four.
fn string(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u32).to_be_bytes().to_vec();
    bytes.extend(text.bytes());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn put(block: &mut [u8], at: usize, bytes: &[u8]) {
    block[at..][..bytes.len()].copy_from_slice(bytes);
}

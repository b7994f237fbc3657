//! Who may write a file by its access control list: the extended attributes
//! `system.posix_acl_access` and, for what is made in a directory, `system.posix_acl_default`.
//!
//! Source: include/uapi/linux/posix_acl_xattr.h of Linux; acl(5), "ACCESS CHECK ALGORITHM".

const VERSION: u32 = 2;
const WRITE: u16 = 2;
const TAG_USER: u16 = 0x02;
const TAG_OWN_GROUP: u16 = 0x04;
const TAG_GROUP: u16 = 0x08;
const TAG_MASK: u16 = 0x10;

/// Users and groups that are named in a list and may write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writers {
    pub users: Vec<u32>,
    pub groups: Vec<u32>,
    pub own_group: bool,
}

/// Reads a list; `None` for what is none.
pub fn parse(bytes: &[u8]) -> Option<Writers> {
    let (version, entries) = bytes.split_first_chunk::<4>()?;
    if u32::from_le_bytes(*version) != VERSION || entries.len() % 8 != 0 {
        return None;
    }
    let entries = entries.chunks_exact(8).map(|entry| {
        let short = |at: usize| u16::from_le_bytes([entry[at], entry[at + 1]]);
        let id = u32::from_le_bytes([entry[4], entry[5], entry[6], entry[7]]);
        (short(0), short(2), id)
    });
    let may_write = entries.clone().all(|(tag, perm, _)| tag != TAG_MASK || perm & WRITE != 0);
    let named = |of: u16| -> Vec<u32> {
        let all = entries.clone().filter(|(tag, perm, _)| *tag == of && perm & WRITE != 0);
        all.filter(|_| may_write).map(|(_, _, id)| id).collect()
    };
    let own_group = !named(TAG_OWN_GROUP).is_empty();
    Some(Writers { users: named(TAG_USER), groups: named(TAG_GROUP), own_group })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
        let mut bytes = VERSION.to_le_bytes().to_vec();
        for (tag, perm, id) in entries {
            bytes.extend([tag.to_le_bytes(), perm.to_le_bytes()].concat());
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn names_who_may_write_and_the_mask_takes_it_from_all() {
        let none = u32::MAX;
        let of = |mask: u16| {
            list(&[
                (0x01, 6, none),
                (TAG_USER, 6, 1000),
                (TAG_USER, 4, 1001),
                (TAG_OWN_GROUP, 6, none),
                (TAG_GROUP, 7, 50),
                (TAG_MASK, mask, none),
                (0x20, 4, none),
            ])
        };
        let writers = Writers { users: vec![1000], groups: vec![50], own_group: true };
        assert_eq!(parse(&of(6)), Some(writers));
        assert_eq!(parse(&of(4)), Some(Writers::default()));
        assert_eq!((parse(b""), parse(b"\x02\0\0\0x"), parse(b"\x01\0\0\0")), (None, None, None));
    }
}

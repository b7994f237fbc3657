//! Positions in a run's lists, a type for each list: that of a candidate is no position of a
//! workload. Records have them as plain numbers, from 0.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident($number:ident)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name($number);

        impl $name {
            pub const FIRST: $name = $name(0);

            /// That of a position. No list is so long that a position does not fit.
            pub fn new(position: usize) -> $name {
                $name($number::try_from(position).unwrap_or($number::MAX))
            }

            /// The first `count`, in order.
            pub fn all(count: usize) -> impl DoubleEndedIterator<Item = $name> + Clone {
                (0..$name::new(count).0).map($name)
            }

            pub fn each<T>(list: &[T]) -> impl Iterator<Item = ($name, &T)> + Clone {
                (0..).map($name).zip(list)
            }

            pub fn find<T>(list: &[T], is_it: impl FnMut(&T) -> bool) -> Option<$name> {
                list.iter().position(is_it).map($name::new)
            }

            pub fn number(self) -> $number {
                self.0
            }
        }

        impl From<$name> for usize {
            fn from(index: $name) -> usize {
                index.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    };
}

/// Lets an index pick from lists of what it counts; stands beside that.
macro_rules! list_of {
    ($of:ty, $name:ident) => {
        impl $name {
            /// What is at it, of a list that may be shorter.
            pub fn get(self, list: &[$of]) -> Option<&$of> {
                list.get(usize::from(self))
            }
        }

        impl std::ops::Index<$name> for [$of] {
            type Output = $of;

            fn index(&self, index: $name) -> &$of {
                &self[usize::from(index)]
            }
        }

        impl std::ops::Index<$name> for Vec<$of> {
            type Output = $of;

            fn index(&self, index: $name) -> &$of {
                &self[usize::from(index)]
            }
        }
    };
}

pub(super) use list_of;

index! {
    /// Which block of a run: superseded ones keep theirs.
    BlockIx(u32)
}

index! {
    CandidateIx(u16)
}

index! {
    WorkloadIx(u16)
}

index! {
    RegionIx(u16)
}

index! {
    /// Which place of those side by side on a region: candidates change places from block to block.
    PlaceIx(u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_plain_number_in_records() {
        let order = [2, 0].map(CandidateIx::new);
        assert_eq!(serde_json::to_string(&order).unwrap(), "[2,0]");
        assert_eq!(serde_json::from_str::<[CandidateIx; 2]>("[2,0]").unwrap(), order);
        assert!(serde_json::from_str::<CandidateIx>("65536").is_err());
    }

    #[test]
    fn a_position_beyond_every_list_is_in_none() {
        let last = WorkloadIx::new(usize::MAX);
        assert_eq!(last, WorkloadIx::new(65_535));
        assert!(last.get(&[]).is_none());
        assert_eq!(WorkloadIx::all(0).next(), None);
    }
}

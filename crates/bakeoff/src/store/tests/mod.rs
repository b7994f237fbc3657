//! Tests of the store that are longer than a few lines: what any store promises ([`suite`]), and
//! what becomes of one in trouble.

#[cfg(feature = "postgres")]
#[path = "../../../tests/support/cluster.rs"]
mod cluster;
mod crash;
mod full_disk;
mod kept;
mod misuse;
#[cfg(feature = "postgres")]
mod pushed;
mod suite;

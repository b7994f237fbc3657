//! Tests of the store that are longer than a few lines: what any store promises ([`suite`]), and
//! what becomes of one in trouble.

mod crash;
mod full_disk;
mod kept;
mod misuse;
mod suite;

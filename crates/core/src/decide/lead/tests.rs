//! The lead on tables of rates.

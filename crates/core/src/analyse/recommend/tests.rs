//! Choices over several workloads.

//! What the generator itself costs for one operation; [`crate::calibrate`] measures it.

/// Nanoseconds a lane spends on one operation without I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    pub loop_ns: f64,
    pub fill_ns: f64,
    pub stamp_ns: f64,
}

impl Cost {
    /// Estimated time of `ios` operations, of which `writes` had data, `pooled_ios` of these from
    /// the pool.
    pub fn of_ios(self, ios: u64, writes: u64, pooled_ios: u64) -> f64 {
        let made = writes.saturating_sub(pooled_ios);
        ios as f64 * self.loop_ns + made as f64 * self.fill_ns + pooled_ios as f64 * self.stamp_ns
    }
}

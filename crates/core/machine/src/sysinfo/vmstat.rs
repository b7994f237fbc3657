//! `/proc/vmstat`: counters of the memory management, in pages.

/// The counters bakeoff uses; all of them only grow. A counter the kernel lacks is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vmstat {
    /// Pages made dirty in the page cache: what O_DIRECT should leave unchanged.
    pub nr_dirtied: Option<u64>,
    pub pswpin: Option<u64>,
    pub pswpout: Option<u64>,
    /// Dirty pages above which writers are made to wait, as the kernel works it out now.
    pub nr_dirty_threshold: Option<u64>,
    /// Dirty pages above which the kernel begins to write back by itself.
    pub nr_dirty_background_threshold: Option<u64>,
}

/// Reads `/proc/vmstat`.
pub fn parse(text: &str) -> Vmstat {
    let mut stat = Vmstat::default();
    for (name, value) in super::numbers(text) {
        let field = match name {
            "nr_dirtied" => &mut stat.nr_dirtied,
            "pswpin" => &mut stat.pswpin,
            "pswpout" => &mut stat.pswpout,
            "nr_dirty_threshold" => &mut stat.nr_dirty_threshold,
            "nr_dirty_background_threshold" => &mut stat.nr_dirty_background_threshold,
            _ => continue,
        };
        *field = Some(value);
    }
    stat
}

#[cfg(test)]
mod tests {
    #[test]
    fn counters_by_name() {
        let stat = super::parse("nr_dirty 29\nnr_dirtied 1198001\npswpin 0\npswpout 3\n");
        assert_eq!(
            (stat.nr_dirtied, stat.pswpin, stat.pswpout),
            (Some(1_198_001), Some(0), Some(3))
        );
    }
}

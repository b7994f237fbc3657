//! Every option of fio 3.33, and what `bench` makes of it.

use super::From;
use super::values::{self, Answer};

/// How an option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Alone, or with `=0` or `=1`.
    Flag,
    /// With 0 or 1; alone it is 1.
    Switch,
    /// With a value.
    Value,
}

use Shape::{Flag, Switch, Value};

/// What `bench` makes of an option.
#[derive(Clone, Copy)]
pub enum Taken {
    /// The option of `bench` of the same name.
    Same,
    /// An option of `bench` of another name.
    Called(&'static str),
    /// By its value; in a few words, how.
    Worded(fn(&str, From) -> Answer, &'static str),
    /// `bench` does it always, or with the same result.
    Always(&'static str),
    /// It changes nothing, because.
    Idle(&'static str),
    /// `bench` does not do it: why, and what does.
    Refused(&'static str),
}

use Taken::{Always, Called, Idle, Refused, Same, Worded};

/// Options that are treated alike.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Their names, with spaces between.
    pub names: &'static str,
    /// How they are written.
    pub shape: Shape,
    /// What is made of them.
    pub taken: Taken,
    /// A value beside 0 and `none` that asks for what fio does anyway.
    pub default: Option<&'static str>,
}

const fn row(names: &'static str, shape: Shape, taken: Taken) -> Entry {
    Entry { names, shape, taken, default: None }
}

const fn row_but(default: &'static str, entry: Entry) -> Entry {
    Entry { default: Some(default), ..entry }
}

const LOGS: Taken = Idle(
    "bench writes no log files. Its JSON (--format json) has a window for each 100 ms, and a \
     histogram",
);
const VERIFY: Taken = Refused("bench checks whole blocks after the job. Use --verify alone");
const TRACE: Taken = Refused("bench replays no traces. Use fio itself, and bakeoff import");
const ZONES: Taken = Refused("bench does not measure zoned access. Use fio itself");
const PROGRAM: Taken = Refused("bench runs no other programs. Run it yourself before bakeoff");
const FILES: Taken =
    Refused("bench uses one file. To measure many files, use --rw=smallfiles or `bakeoff quick`");
const PAUSES: Taken =
    Refused("bench does not pause between I/Os. To limit the load, use --rate_iops");
const RATES: Taken = Refused(
    "bench limits operations, not bytes. Use --rate_iops with bytes per second divided by --bs",
);
const SHIFTED: Taken = Refused("bench starts at the beginning. Use --size to limit the span");
const BATCHES: Taken = Idle("bench submits the next I/O as soon as one completes");
const CPUS: Taken = Refused("start bench with taskset or numactl instead");
const NICE: Taken = Refused("start bench with nice or ionice instead");
const FREED: Taken = Idle("bench removes only its scratch file");
const LATENCIES: Taken = Idle("bench always reports total latencies and the same percentiles");
const NETWORK: Taken = Refused("bench measures this machine only");
const MADE: Taken = Idle("bench creates the scratch file itself, before the measured time");
const LIMITS: Taken = Refused("bench measures one load at a time. Use fio itself for a search");
const GROUPS: Taken = Refused("bench does not synchronize jobs with each other");

/// The options, in the order of fio's manual.
pub const TABLE: &[Entry] = &[
    row("description", Value, Always("a comment")),
    row("name", Value, Always("the name of the job in the output")),
    row("filename directory", Value, Same),
    row("rw", Value, Worded(values::rw, "the same; trim and modifiers are refused")),
    row("bs", Value, Worded(values::bs, "the same; only one size for mixed reads and writes")),
    row("size io_size runtime iodepth numjobs fsync fdatasync loops ramp_time", Value, Same),
    row("rwmixread rate_iops rate_process buffer_compress_percentage", Value, Same),
    row("rwmixwrite", Value, Worded(values::mix, "100 minus --rwmixread")),
    row("direct end_fsync randrepeat invalidate readonly", Switch, Same),
    row("output", Value, Same),
    row("output_format", Value, Worded(values::format, "normal; json prints the JSON of fio")),
    row("ioengine", Value, Worded(values::engine, "--engine; sync and pvsync are psync")),
    row("buffered", Switch, Worded(values::buffered, "the opposite of --direct")),
    row("sync", Value, Worded(values::sync, "--fsync=1, dsync --fdatasync=1")),
    row("norandommap", Flag, Worded(values::map, "--offsets=uniform")),
    row("random_distribution", Value, Worded(values::distribution, "--offsets; random, zipf")),
    row("randseed", Value, Called("seed")),
    row("allrandrepeat", Switch, Called("randrepeat")),
    row("zero_buffers", Flag, Worded(values::zero, "--data=zero")),
    row("refill_buffers", Flag, Worded(values::refill, "always: each write has new data")),
    row("scramble_buffers", Switch, Worded(values::refill, "always: each write has new data")),
    row("verify", Value, Worded(values::verify, "--verify, with bakeoff's own check")),
    row("do_verify", Switch, Always("after the job, with --verify")),
    row("mem", Value, Worded(values::mem, "auto, malloc, thp")),
    row("overwrite", Switch, Worded(values::lay_out, "=1 creates the file first; no consent")),
    row("fsync_on_close", Switch, Called("end_fsync")),
    row("kb_base", Value, Worded(values::kb_base, "1024")),
    row("eta", Value, Worded(values::eta, "progress; turn it off with --quiet")),
    row("time_based", Flag, Always("a job always runs for the whole --runtime")),
    row("group_reporting new_group", Flag, Always("the threads of a job are reported together")),
    row("thread", Flag, Always("each of --numjobs is a thread")),
    row("stonewall", Flag, Always("jobs run one after the other")),
    row("random_generator softrandommap", Value, Always("bench needs no map of offsets")),
    row("fallocate fadvise_hint", Value, Always("blocks are written before they are measured")),
    row("file_service_type filename_format", Value, Idle("bench uses one file")),
    row("unique_filename", Switch, NETWORK),
    row_but("1", row("nrfiles", Value, FILES)),
    row("filesize openfiles opendir", Value, FILES),
    row("lockfile wait_for", Value, GROUPS),
    row("file_append fill_device", Switch, Refused("bench stays within --size")),
    row("ba offset offset_increment offset_align zoneskip", Value, SHIFTED),
    row(
        "bsrange bssplit",
        Value,
        Refused("bench measures one block size at a time. Run it once for each size"),
    ),
    row("bs_unaligned", Flag, Refused("use --bs with the size in bytes")),
    row("rw_sequencer", Value, Idle("it needs a modifier of --rw")),
    row_but("100", row("percentage_random", Value, Refused("use --rw=randread or --rw=read"))),
    row("number_ios", Value, Refused("use --io_size with this number times --bs")),
    row("iodepth_batch iodepth_batch_complete_min iodepth_batch_complete_max", Value, BATCHES),
    row("iodepth_low io_submit_mode", Value, BATCHES),
    row("serialize_overlap", Switch, BATCHES),
    row("fixedbufs registerfiles", Flag, Always("the io_uring engine uses them")),
    row("nonvectored userspace_reap", Value, Always("bench does the same")),
    row("hipri hipri_percentage sqthread_poll", Flag, Refused("bench does not poll for I/Os")),
    row("force_async nowait", Switch, Refused("bench uses ordinary I/Os")),
    row("startdelay", Value, Refused("use sleep before bench")),
    row("clocksource gtod_cpu", Value, Idle("bench uses the fastest accurate clock")),
    row("gtod_reduce", Switch, Idle("reading the clock takes under 5 %, and bench reports it")),
    row("disable_lat disable_clat disable_slat disable_bw_measurement", Switch, LATENCIES),
    row("lat_percentiles clat_percentiles slat_percentiles stats", Switch, LATENCIES),
    row("percentile_list significant_figures unit_base", Value, LATENCIES),
    row("unified_rw_reporting", Value, Idle("bench reports reads and writes separately")),
    row("verify_only experimental_verify verify_dump verify_fatal", Switch, VERIFY),
    row("verify_interval verify_offset verify_pattern verify_async", Value, VERIFY),
    row("verify_backlog verify_backlog_batch", Value, VERIFY),
    row(
        "verify_state_save verify_state_load",
        Switch,
        Idle("bench writes a record with --verify_state_save=FILE"),
    ),
    row(
        "trim_percentage trim_verify_zero trim_backlog trim_backlog_batch",
        Value,
        Refused("bench does not discard blocks. Use a plan with flash_state = \"trimmed\""),
    ),
    row("write_iolog read_iolog replay_redirect replay_scale replay_align", Value, TRACE),
    row("replay_time_scale replay_skip merge_blktrace_file", Value, TRACE),
    row("merge_blktrace_scalars merge_blktrace_iters", Value, TRACE),
    row("read_iolog_chunked replay_no_stall", Switch, TRACE),
    row("exec_prerun exec_postrun profile", Value, PROGRAM),
    row("ioscheduler", Value, Refused("compare schedulers in a plan: [axes] scheduler = […]")),
    row("zonemode zonesize zonecapacity zonerange max_open_zones", Value, ZONES),
    row("job_max_open_zones zone_reset_threshold zone_reset_frequency", Value, ZONES),
    row("read_beyond_wp ignore_zone_limits", Switch, ZONES),
    row("lockmem", Value, Refused("run a program that occupies the memory alongside bench")),
    row("nice prio prioclass cmdprio cmdprio_percentage cmdprio_class", Value, NICE),
    row("thinktime thinktime_spin thinktime_blocks thinktime_blocks_type", Value, PAUSES),
    row("thinktime_iotime", Value, PAUSES),
    row("rate", Value, RATES),
    row("rate_min rate_iops_min rate_cycle", Value, Refused("bench reports the rate reached")),
    row("rate_ignore_thinktime", Switch, PAUSES),
    row("max_latency latency_target latency_window latency_percentile", Value, LIMITS),
    row("latency_run", Switch, LIMITS),
    row("steadystate steadystate_duration steadystate_ramp_time", Value, LIMITS),
    row("write_hint write_barrier sync_file_range", Value, Refused("bench uses ordinary writes")),
    row("atomic", Switch, Refused("bench uses ordinary writes")),
    row("create_serialize create_fsync create_on_open allow_file_create", Switch, MADE),
    row("create_only pre_read", Switch, Refused("bench does not keep the files that it creates")),
    row(
        "allow_mounted_write",
        Switch,
        Refused("bakeoff never writes to a mounted device. Unmount it first"),
    ),
    row("cpumask cpus_allowed cpus_allowed_policy", Value, CPUS),
    row("numa_cpu_nodes numa_mem_policy", Value, CPUS),
    row("unlink unlink_each_loop", Switch, FREED),
    row("exitall exitall_on_error", Flag, Idle("jobs run one after the other")),
    row("exit_what", Value, Idle("jobs run one after the other")),
    row("write_bw_log write_lat_log write_iops_log write_hist_log log_entries", Value, LOGS),
    row("bwavgtime iopsavgtime log_avg_msec log_hist_msec", Value, LOGS),
    row("log_hist_coarseness log_compression log_compression_cpus", Value, LOGS),
    row("log_alternate_epoch_clock_id", Value, LOGS),
    row("per_job_logs log_max_value log_offset log_prio log_store_compressed", Switch, LOGS),
    row("log_unix_epoch log_alternate_epoch", Switch, LOGS),
    row("bandwidth_log latency_log", Flag, LOGS),
    row("block_error_percentiles", Switch, LOGS),
    row("buffer_pattern", Value, Refused("use --data=random or --data=zero")),
    row("buffer_compress_chunk", Value, Idle("each 4 KiB compresses as well as all data")),
    row(
        "dedupe_percentage dedupe_mode dedupe_working_set_percentage",
        Value,
        Refused("bench writes new data each time. Use --data=zero for data that deduplicates"),
    ),
    row("dedupe_global", Switch, Refused("bench writes new data each time")),
    row("disk_util", Switch, Idle("`bakeoff watch` shows the utilisation of disks")),
    row("ignore_error", Value, Refused("bench reports the first error and ends")),
    row("continue_on_error", Value, Refused("bench reports the first error and ends")),
    row("error_dump", Switch, Always("errors are reported")),
    row("cgroup cgroup_weight", Value, Refused("start bench with systemd-run instead")),
    row("cgroup_nodelete", Switch, Refused("start bench with systemd-run instead")),
    row("uid gid", Value, Refused("start bench with setpriv or sudo -u instead")),
    row("hugepage_size", Value, Refused("use --mem=thp")),
    row("flow_id flow flow_sleep", Value, GROUPS),
    row("status_interval eta_interval eta_newline", Value, Idle("see `bakeoff watch`")),
    row("minimal append_terse", Flag, Refused("use --output-format=json")),
    row("terse_version", Value, Refused("use --output-format=json")),
    row("parse_only showcmd", Flag, Refused("`bakeoff plan` shows what a plan would do")),
    row("section", Value, Same),
    row("client server remote_config daemonize", Value, NETWORK),
    row("idle_prof", Value, Idle("bench always reports CPU time")),
    row("alloc_size max_jobs warnings_fatal", Value, Always("bench needs no shared memory")),
    row("trigger trigger_file trigger_timeout trigger_remote aux_path", Value, PROGRAM),
    row("inflate_log cmdhelp enghelp crctest debug", Value, Refused("use fio itself")),
    row("cpuclock_test", Flag, Refused("use `bakeoff check --engine`")),
];

/// Names that fio has two of, in one spelling.
const ALIASES: &[(&str, &str)] = &[
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("blockalign", "ba"),
    ("blocksize_range", "bsrange"),
    ("blocksize_unaligned", "bs_unaligned"),
    ("iodepth_batch_submit", "iodepth_batch"),
    ("iodepth_batch_complete", "iodepth_batch_complete_min"),
    ("io_limit", "io_size"),
    ("fill_fs", "fill_device"),
    ("fileoffset", "offset"),
    ("nr_files", "nrfiles"),
    ("timeout", "runtime"),
    ("iomem", "mem"),
    ("ratemin", "rate_min"),
    ("ratecycle", "rate_cycle"),
    ("wait_for_previous", "stonewall"),
    ("disable_bw", "disable_bw_measurement"),
    ("ss", "steadystate"),
    ("ss_dur", "steadystate_duration"),
    ("ss_ramp", "steadystate_ramp_time"),
    ("hugepage-size", "hugepage_size"),
];

/// One name for options that fio has two of.
pub fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name)
}

/// What is made of an option, by its canonical name; `None` = it is none of fio's.
pub fn find(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.names.split(' ').any(|known| known == name))
}

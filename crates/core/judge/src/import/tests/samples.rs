//! Every output in fixtures/tools, read, against what is in it.

use std::fmt::Write;

use crate::import::{self, Imported};

macro_rules! samples {
    ($($path:literal,)*) => {
        &[$((
            $path,
            include_bytes!(concat!("../../../../../../fixtures/tools/", $path)).as_slice(),
        )),*]
    };
}

/// The outputs by name.
pub const SAMPLES: &[(&str, &[u8])] = samples![
    "dd/all_locales_coreutils_8.32.stdout",
    "dd/all_locales_coreutils_9.1.stdout",
    "dd/busybox_read.stderr",
    "dd/busybox_write_fsync.stderr",
    "dd/c_error_dev_full.stderr",
    "dd/c_error_direct_unaligned.stderr",
    "dd/c_error_enoent.stderr",
    "dd/c_interrupted_sigint.stderr",
    "dd/c_partial_records.stderr",
    "dd/c_read.stderr",
    "dd/c_sigusr1_midway.stderr",
    "dd/c_small_one_suffix.stderr",
    "dd/c_status_progress.stderr",
    "dd/c_tiny_bytes_no_suffix.stderr",
    "dd/c_write_fdatasync.stderr",
    "dd/c_zero_bytes_exponent.stderr",
    "dd/de_latin1_read.stderr",
    "dd/de_write_fdatasync.stderr",
    "dd/fr_read.stderr",
    "dd/uk_read_word_first.stderr",
    "dd/zh_CN_read_fullwidth_commas.stderr",
    "hdparm/both.stdout",
    "hdparm/buffer_cache_posted.stdout",
    "hdparm/direct.stdout",
    "hdparm/offset.stdout",
    "sysbench/v04_error_bad_mode.stdout",
    "sysbench/v04_error_missing_files_rndrd.stdout",
    "sysbench/v04_missing_files_rndwr_silently_sparse.stdout",
    "sysbench/v04_prepare.stdout",
    "sysbench/v04_rndrw_requests_endfsync.stdout",
    "sysbench/v04_rndrw_time_limited.stdout",
    "sysbench/v04_rndwr_direct_fsyncall.stdout",
    "sysbench/v04_seqrd_small.stdout",
    "sysbench/v04_seqwr.stdout",
    "sysbench/v04_seqrewr.stdout",
    "sysbench/v04_late_rndwr_direct.stdout",
    "sysbench/v05_prepare.stdout",
    "sysbench/v05_rndrw.stdout",
    "sysbench/v05_rndrw_threads_direct.stdout",
    "sysbench/v05_rndwr_fsyncall_interval.stdout",
    "sysbench/v05_seqwr_bursts.stdout",
    "sysbench/v1_async.stdout",
    "sysbench/v1_cleanup.stdout",
    "sysbench/v1_error_not_prepared.stdout",
    "sysbench/v1_error_size_mismatch.stdout",
    "sysbench/v1_interrupted_sigint.stdout",
    "sysbench/v1_legacy_options.stderr",
    "sysbench/v1_legacy_options.stdout",
    "sysbench/v1_prepare.stdout",
    "sysbench/v1_rndrd_busy_machine.stdout",
    "sysbench/v1_rndrw_default_fsync.stdout",
    "sysbench/v1_rndrw_rate_interval_hist.stdout",
    "sysbench/v1_rndwr_fsync_all.stdout",
    "sysbench/v1_seqrd.stdout",
    "sysbench/v1_seqrd_half_blocks.stdout",
    "sysbench/v1_seqwr_merged_nopct.stdout",
    "bonnie/v197_fast_chunk.stderr",
    "bonnie/v197_fast_chunk.stdout",
    "bonnie/v197_header_x2.stdout",
    "bonnie/v197_sync_full.stderr",
    "bonnie/v197_sync_full.stdout",
    "bonnie/v200_chunk_seeks_procs.stderr",
    "bonnie/v200_chunk_seeks_procs.stdout",
    "bonnie/v200_direct_fast.stderr",
    "bonnie/v200_direct_fast.stdout",
    "bonnie/v200_direct_perchar_error.stderr",
    "bonnie/v200_dirs_only_n2.stderr",
    "bonnie/v200_dirs_only_n2.stdout",
    "bonnie/v200_error_root_without_u.stderr",
    "bonnie/v200_error_size_vs_ram.stderr",
    "bonnie/v200_fast_pluses.stderr",
    "bonnie/v200_fast_pluses.stdout",
    "bonnie/v200_interrupted_sigint.stderr",
    "bonnie/v200_interrupted_sigint_twice.stderr",
    "bonnie/v200_seeks_cpu_over_100.stderr",
    "bonnie/v200_seeks_cpu_over_100.stdout",
    "bonnie/v200_sync_full.stderr",
    "bonnie/v200_sync_full.stdout",
    "bonnie/v200_two_runs_csv_header.stdout",
    "iozone/auto_excel.stdout",
    "iozone/error_record_gt_file.stdout",
    "iozone/error_record_too_large.stdout",
    "iozone/error_throughput_reports_no_plain.stderr",
    "iozone/error_throughput_reports_no_plain.stdout",
    "iozone/extended_E.stdout",
    "iozone/interrupted_sigint_excel.stdout",
    "iozone/latency_files_Q.stdout",
    "iozone/no_args.stdout",
    "iozone/ops_mode.stdout",
    "iozone/text_all_single.stdout",
    "iozone/text_subset_0_1_2.stdout",
    "iozone/throughput_cpu.stdout",
    "iozone/throughput_t2.stdout",
    "iozone/usec_mode.stdout",
    "fio/json_error_enospc_or_einval.stderr",
    "fio/json_error_enospc_or_einval.stdout",
    "fio/json_interrupted_sigint.stdout",
    "fio/json_plus_randwrite_endfsync.stdout",
    "fio/json_psync_iodepth_note.stdout",
    "fio/json_seqread_direct.stdout",
    "fio/json_two_jobs.stdout",
    "fio/text_error_missing_engine.stderr",
    "fio/text_group_reporting_two_jobs.stdout",
    "fio/text_rndrw_fsync_timed.stdout",
    "fio/text_seqwrite_direct_libaio.stdout",
    "ioping/v06_read.stdout",
    "ioping/v08_read.stdout",
    "ioping/v09_read.stdout",
    "ioping/v10_read.stdout",
    "ioping/v10_seek_rate.stdout",
    "ioping/v12_read.stdout",
    "ioping/v13_batch.stdout",
    "ioping/v13_one.stdout",
    "ioping/v13_quiet_seq.stdout",
    "ioping/v13_raw_period.stdout",
    "ioping/v13_read.stdout",
    "ioping/v13_read_write.stdout",
    "ioping/v13_seek_rate.stdout",
    "ioping/v13_too_slow.stdout",
    "ioping/v13_write.stdout",
    "f3/v100_probe_limbo.stdout",
    "f3/v100_probe_real.stdout",
    "f3/v100_read.stdout",
    "f3/v100_read_lost.stdout",
    "f3/v100_write.stdout",
    "f3/v60_read.stdout",
    "f3/v60_read_lost.stdout",
    "f3/v60_write.stdout",
    "f3/v72_probe_real.stdout",
    "f3/v72_read.stdout",
    "f3/v72_read_lost.stdout",
    "f3/v72_write.stdout",
    "f3/v80_probe_limbo.stdout",
    "f3/v80_probe_real.stdout",
    "f3/v80_read.stdout",
    "f3/v80_read_lost.stdout",
    "f3/v80_write.stdout",
    "f3/v90_read.stdout",
    "f3/v90_read_lost.stdout",
    "f3/v90_write.stdout",
    "iostat/v100_xk.stdout",
    "iostat/v110_x.stdout",
    "iostat/v110_xm.stdout",
    "iostat/v117_x.stdout",
    "iostat/v126_d.stdout",
    "iostat/v126_x.stdout",
    "iostat/v126_xm_y.stdout",
    "iostat/v126_xs.stdout",
    "iostat/v126_xt_all.stdout",
    "crystaldiskmark/cdm3.stdout",
    "crystaldiskmark/cdm301_posted.stdout",
    "crystaldiskmark/cdm303_posted.stdout",
    "crystaldiskmark/cdm5.stdout",
    "crystaldiskmark/cdm600_posted.stdout",
    "crystaldiskmark/cdm804_posted.stdout",
    "crystaldiskmark/cdm8_mix.stdout",
    "crystaldiskmark/kdm160.stdout",
    "crystaldiskmark/kdm300_posted.stdout",
    "crystaldiskmark/kdm320_posted.stdout",
    "crystaldiskmark/kdm330_mix.stdout",
    "yabs/v2001_dd.stdout",
    "yabs/v2020_failed.stdout",
    "yabs/v2020_fio.stdout",
    "yabs/v2026_fio.stdout",
    "agnostics/v2020_fail.stdout",
    "agnostics/v2020_pass.stdout",
    "agnostics/v2024_fail.stdout",
    "agnostics/v2024_pass.stdout",
    // The whole outputs are tested beside the reader: a row counts only where no output above has
    // its figure, so that a cut adds results.
    "storage_sh/v2020_table.stdout",
    "storage_sh/v2024_table.stdout",
];

/// An import as lines that a person can check against the output.
pub fn listing(imported: &Imported) -> String {
    let mut out = String::new();
    for result in &imported.results {
        let version = result.version.as_deref().unwrap_or("-");
        let test = result.test.as_deref().unwrap_or("-");
        let context = result.context.as_deref().unwrap_or("-");
        let (tool, first, last) = (&result.tool, result.first_line, result.last_line);
        writeln!(out, "  {tool} {version} {test} lines {first}-{last} under {context}").unwrap();
        for metric in &result.metrics {
            let value = metric.value.as_f64();
            let (name, unit, raw, line) = (&metric.name, &metric.unit, &metric.raw, metric.line);
            writeln!(out, "    {name} = {value} {unit} from {line}: {raw}").unwrap();
        }
        for finding in &result.findings {
            writeln!(out, "    {} {}", finding.id, finding.evidence).unwrap();
        }
    }
    for unread in &imported.unread {
        let why = &unread.why;
        writeln!(out, "  unread {}-{}: {why}", unread.first_line, unread.last_line).unwrap();
    }
    out
}

fn all_of(tool: &str) -> String {
    let mut out = String::new();
    for (path, text) in SAMPLES.iter().filter(|(path, _)| path.starts_with(tool)) {
        write!(out, "{path}\n{}", listing(&import::all(text))).unwrap();
    }
    out
}

#[test]
fn dd() {
    insta::assert_snapshot!(all_of("dd/"));
}

#[test]
fn hdparm() {
    insta::assert_snapshot!(all_of("hdparm/"));
}

#[test]
fn sysbench() {
    insta::assert_snapshot!(all_of("sysbench/"));
}

#[test]
fn bonnie() {
    insta::assert_snapshot!(all_of("bonnie/"));
}

#[test]
fn iozone() {
    insta::assert_snapshot!(all_of("iozone/"));
}

#[test]
fn fio() {
    insta::assert_snapshot!(all_of("fio/"));
}

#[test]
fn ioping() {
    insta::assert_snapshot!(all_of("ioping/"));
}

#[test]
fn f3() {
    insta::assert_snapshot!(all_of("f3/"));
}

#[test]
fn iostat() {
    insta::assert_snapshot!(all_of("iostat/"));
}

#[test]
fn diskmark() {
    insta::assert_snapshot!(all_of("crystaldiskmark/"));
}

#[test]
fn yabs() {
    insta::assert_snapshot!(all_of("yabs/"));
}

#[test]
fn agnostics() {
    insta::assert_snapshot!(all_of("agnostics/"));
}

#[test]
fn pibenchmarks() {
    insta::assert_snapshot!(all_of("storage_sh/"));
}

//! Words that a plan or a record may hand to mkfs(8) and mount(8): everything else is refused.
//!
//! In here is only what changes the candidate itself. Left out is what names a file, a device or
//! another filesystem (`-d DIR`, `-z FILE`, `logdev=`, `device=`, `subvol=`, `loop=`, `x-*`), what
//! other parts of the system act on (labels, UUIDs, owners, `errors=panic`), and what makes
//! something other than the filesystem that is compared (`-n`, `-S`, `-t TYPE`, byte counts).
//!
//! A word is `NAME` or `NAME=VALUE`; `?=` where the value may be left out, `[no]NAME` for both.
//! VALUE: `#` a number with a unit, `@` names between commas, `{}` a list of its own, or one of
//! several words, each of which may end in `#`.
//!
//! Sources: mke2fs(8), ext4(5), mkfs.xfs(8), xfs(5), mkfs.btrfs(8), btrfs(5), mkfs.f2fs(8) and
//! f2fs.rst, mkfs.fat(8), vfat.rst, mkfs.exfat(8), mkntfs(8), ntfs3.rst, ntfs-3g(8),
//! mkreiserfs(8), mkfs.nilfs2(8), nilfs2.rst, mkfs.jfs(8), jfs.rst, bcachefs(8), mkudffs(8),
//! udf.rst, mount(8).

pub(super) struct Accepted {
    pub formats: &'static [&'static str],
    pub mkfs: &'static str,
    /// Lists that an option of mkfs takes: of which option, and what may be in it.
    pub lists: &'static [(&'static str, &'static str)],
    pub mount: &'static [&'static str],
}

pub(super) const EVERY_MOUNT: &str = "defaults rw async sync dirsync [no]atime [no]diratime \
    [no]relatime [no]strictatime [no]lazytime nodev nosuid noexec [no]iversion silent";

/// How files without owners are shown, and their names spelled.
const NO_OWNERS: &str = "umask=# fmask=# dmask=# iocharset=@";

pub(super) const ACCEPTED: &[Accepted] = &[
    Accepted {
        formats: &["ext2", "ext3", "ext4"],
        mkfs: "-q -v -F -D -j -b=# -C=# -g=# -G=# -i=# -I=# -m=# -N=# -r=0|1 -T=@ -O=@ -E={} -J={}",
        lists: &[
            (
                "-E",
                "[no]discard lazy_itable_init?=0|1 lazy_journal_init?=0|1 stride=# \
                 stripe_width=# stripe-width=# resize=# num_backup_sb=0|1|2 \
                 packed_meta_blocks?=0|1 \
                 orphan_file_size=# desc_size=# desc-size=# revision=0|1 mmp_update_interval=# \
                 encoding=utf8|utf8-12.1 encoding_flags=strict",
            ),
            ("-J", "size=# fast_commit_size=# location=#"),
        ],
        mount: &["data=journal|ordered|writeback commit=# barrier?=0|1 nobarrier \
                [no]journal_checksum journal_async_commit journal_ioprio=# [no]delalloc \
                auto_da_alloc?=0|1 noauto_da_alloc stripe=# max_batch_time=# min_batch_time=# \
                [no]discard inode_readahead_blks=# [no]block_validity dioread_lock dioread_nolock \
                init_itable?=# noinit_itable max_dir_size_kb=# dax?=always|never|inode [no]mbcache \
                orlov oldalloc [no]user_xattr [no]acl [no]i_version errors=continue|remount-ro \
                mb_optimize_scan=0|1 [no]prefetch_block_bitmaps [no]grpid bsdgroups sysvgroups \
                bsddf minixdf [no]bh [no]check"],
    },
    Accepted {
        formats: &["xfs"],
        mkfs: "-q -f -K -b={} -m={} -d={} -i={} -l={} -n={} -s={}",
        lists: &[
            ("-b", "size=# log=#"),
            (
                "-m",
                "crc=0|1 finobt=0|1 inobtcount=0|1 reflink=0|1 rmapbt=0|1 bigtime=0|1 autofsck=0|1 \
                 metadir=0|1",
            ),
            (
                "-d",
                "agcount=# agsize=# su=# sw=# sunit=# swidth=# noalign sectsize=# cowextsize=# \
                 extszinherit=# daxinherit=0|1 concurrency=#",
            ),
            (
                "-i",
                "size=# perblock=# log=# maxpct=# align?=0|1 attr=0|1|2 projid32bit=0|1 sparse=0|1 \
                 nrext64=0|1 exchange=0|1",
            ),
            (
                "-l",
                "internal?=1 size=# version=1|2 su=# sunit=# sectsize=# lazy-count=0|1 agnum=# \
                 concurrency=#",
            ),
            ("-n", "size=# log=# version=2|ci ftype=0|1 parent=0|1"),
            ("-s", "size=# log=#"),
        ],
        mount: &[
            "allocsize=# [no]discard [no]ikeep inode32 inode64 [no]largeio logbufs=# logbsize=# \
                noalign sunit=# swidth=# swalloc wsync filestreams [no]quota [no]attr2 [no]barrier \
                dax?=always|never|inode max_open_zones=# max_atomic_write=# [no]lifetime [no]grpid \
                bsdgroups sysvgroups [no]acl",
        ],
    },
    Accepted {
        formats: &["btrfs"],
        mkfs: "-q --quiet -v --verbose -f --force -K --nodiscard -M --mixed -n=# --nodesize=# \
               -s=# --sectorsize=# -d=single|dup --data=single|dup -m=single|dup \
               --metadata=single|dup --csum=crc32c|xxhash|sha256|blake2 \
               --checksum=crc32c|xxhash|sha256|blake2 -O=@ --features=@ -R=@ --runtime-features=@",
        lists: &[],
        mount: &["[no]acl [no]autodefrag [no]barrier clear_cache commit=# \
                compress?=zlib|zlib:#|lzo|zstd|zstd:#|no|none \
                compress-force?=zlib|zlib:#|lzo|zstd|zstd:#|no|none [no]datacow [no]datasum \
                discard?=sync|async nodiscard [no]enospc_debug [no]flushoncommit max_inline=# \
                metadata_ratio=# space_cache?=v1|v2 nospace_cache [no]ssd [no]ssd_spread \
                thread_pool=# [no]treelog"],
    },
    Accepted {
        formats: &["f2fs"],
        mkfs: "-q -f -i -m -r -a=0|1 -b=# -d=# -e=@ -E=@ -g=android -o=# -O=@ -C=utf8|utf8:strict \
               -s=# -t=0|1 -w=# -z=#",
        lists: &[],
        mount: &[
            "background_gc=on|off|sync [no]gc_merge [no]discard discard_unit=block|segment|section \
                [no]heap no_heap [no]user_xattr [no]acl active_logs=# disable_ext_identify \
                [no]inline_xattr inline_xattr_size=# [no]inline_data [no]inline_dentry \
                [no]flush_merge [no]barrier fastboot [no]extent_cache age_extent_cache \
                mode=adaptive|lfs alloc_mode=default|reuse io_bits=# \
                fsync_mode=posix|strict|nobarrier [no]checkpoint_merge \
                compress_algorithm=lzo|lzo-rle|lz4|lz4:#|zstd|zstd:# compress_log_size=# \
                compress_extension=@ nocompress_extension=@ compress_chksum compress_mode=fs|user \
                compress_cache atgc memory=normal|low errors=continue|remount-ro \
                lookup_mode=perf|compat|auto",
        ],
    },
    Accepted {
        formats: &["vfat"],
        mkfs: "-a -c -I -v --invariant -b=# -D=# -f=1|2 -F=12|16|32 -h=# -r=# -R=# -s=# -S=#",
        lists: &[],
        mount: &[
            "codepage=# utf8?=0|1|yes|no|true|false shortname=lower|win95|winnt|mixed \
                check=r|n|s|relaxed|normal|strict tz=UTC time_offset=# fat=12|16|32 quiet flush \
                usefree discard showexec sys_immutable rodir nonumtail=0|1 \
                errors=continue|remount-ro",
            NO_OWNERS,
        ],
    },
    Accepted {
        formats: &["exfat"],
        mkfs: "-q --quiet -v --verbose -f --full-format --pack-bitmap -b=# --boundary-align=# \
               -c=# --cluster-size=# -s=# --sector-size=#",
        lists: &[],
        mount: &[
            "[no]discard keep_last_dots sys_tz time_offset=# errors=continue|remount-ro",
            NO_OWNERS,
        ],
    },
    Accepted {
        formats: &["ntfs"],
        mkfs: "-f --fast -Q --quick -F --force -q --quiet -v --verbose -C --enable-compression \
               -I --no-indexing -T --zero-time -c=# --cluster-size=# -s=# --sector-size=# -p=# \
               --partition-start=# -H=# --heads=# -S=# --sectors-per-track=# -z=# \
               --mft-zone-multiplier=#",
        lists: &[],
        mount: &[
            "discard sparse prealloc force nohidden hide_dot_files hide_hid_files \
                sys_immutable showmeta show_sys_files acl windows_names nocase \
                permissions inherit [no]recover ignore_case compression nocompression big_writes \
                streams_interface=none|windows|xattr default_permissions max_read=# delay_mtime=# \
                efs_raw no_def_opts",
            NO_OWNERS,
        ],
    },
    Accepted {
        formats: &["reiserfs"],
        mkfs: "-q --quiet -f --force -b=# --block-size=# -h=rupasov|tea|r5 --hash=rupasov|tea|r5 \
               -s=# --journal-size=# -t=# --transaction-max-size=# --format=3.5|3.6",
        lists: &[],
        mount: &["barrier=none|flush data=journal|ordered|writeback commit=# notail \
                tails=on|off|small conv nolog [no]user_xattr [no]acl hash=rupasov|tea|r5|detect"],
    },
    Accepted {
        formats: &["nilfs2"],
        mkfs: "-q -v -f -K -c -b=# -B=# -m=# -O=@",
        lists: &[],
        mount: &["[no]barrier order=relaxed|strict [no]discard errors=continue|remount-ro"],
    },
    Accepted {
        formats: &["jfs"],
        mkfs: "-q -c -f -O -s=#",
        lists: &[],
        mount: &["[no]integrity discard?=# nodiscard errors=continue|remount-ro", NO_OWNERS],
    },
    Accepted {
        formats: &["bcachefs"],
        mkfs: "-q --quiet -v --verbose -f --force --block_size=# --btree_node_size=# --bucket=# \
               --bucket_size=# --replicas=1 --data_replicas=1 --metadata_replicas=1 --discard \
               --metadata_checksum=none|crc32c|crc64|xxhash \
               --data_checksum=none|crc32c|crc64|xxhash \
               --compression=none|lz4|lz4:#|gzip|gzip:#|zstd|zstd:# \
               --background_compression=none|lz4|lz4:#|gzip|gzip:#|zstd|zstd:# \
               --str_hash=crc32c|crc64|siphash --inodes_32bit --wide_macs --errors=continue|ro",
        lists: &[],
        mount: &["[no]discard compression=none|lz4|lz4:#|gzip|gzip:#|zstd|zstd:# \
                background_compression=none|lz4|lz4:#|gzip|gzip:#|zstd|zstd:# \
                metadata_checksum=none|crc32c|crc64|xxhash data_checksum=none|crc32c|crc64|xxhash \
                str_hash=crc32c|crc64|siphash journal_flush_delay=# journal_flush_disabled \
                nojournal_transaction_names [no]inline_data [no]inodes_use_key_cache [no]acl \
                errors=continue|ro"],
    },
    Accepted {
        formats: &["udf"],
        mkfs: "-b=# --blocksize=# -r=# --udfrev=# \
               -m=hd|dvd|dvdram|dvdrw|dvdr|worm|mo|cdrw|cdr|cd|bdr \
               --media-type=hd|dvd|dvdram|dvdrw|dvdr|worm|mo|cdrw|cdr|cd|bdr \
               --space=freedtable|freedbitmap|unalloctable|unallocbitmap --ad=inicb|short|long \
               --strategy=4|4096 --noefe --spartable?=1|2 --packetlen=#",
        lists: &[],
        mount: &["bs=# [no]adinicb shortad longad utf8 nostrict", NO_OWNERS],
    },
];

/// The words of a format; `None` for one that bakeoff does not make.
pub(super) fn of_format(format: &str) -> Option<&'static Accepted> {
    ACCEPTED.iter().find(|accepted| accepted.formats.contains(&format))
}

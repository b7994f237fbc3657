//! Words that bakeoff itself gives a meaning: commands, workloads, profiles, applications, plans,
//! filesystems. They identify nobody, and a record without them could not be read.

use bakeoff_judge::{applications, plan};
use bakeoff_machine::prepare::recipe::RECIPES;
use bakeoff_model::job::Rw;
use bakeoff_model::profile::Profile;
use bakeoff_model::profiles;
use bakeoff_model::workloads;

/// Commands, modes, formats, and words that a report would be unreadable without.
const WORDS: &str = "\
    root lan local localdomain com org localhost raspberrypi debian ubuntu raspbian \
    fedora alpine linux none unknown null default bakeoff devices quick fit demo setup plan run \
    runs probe bench agree resume clean show compare rm report export lint simulate check watch \
    report-bug serve push fleet list schema label trend self html last decide precise \
    characterise text json csv markdown jsonl bundle fio-json gnuplot host device kernel time \
    home media data disk drive image file files usb ssd nvme card boot swap \
    tmp temp test mount read reads write writes written random small sequential block \
    blocks cell cells round slice memory cache cold warm engine psync io_uring libaio \
    ext2 raw fio tmpfs ramfs devtmpfs rootfs overlay fuse fuseblk ntfs3 windows database scratch \
    the and for new old user";

pub fn is_ours(word: &str) -> bool {
    let folded = word.to_ascii_lowercase();
    folded.split(',').all(is_one)
}

fn is_one(word: &str) -> bool {
    WORDS.split(' ').any(|known| known == word)
        || Rw::ALL.iter().any(|rw| rw.name() == word)
        || RECIPES.iter().any(|recipe| [recipe.name, recipe.fs].contains(&word))
        || plan::built_in(word).is_some()
        || workloads::all().iter().chain(&profiles::all()).any(|workload| workload.name == word)
        || applications::is_built_in(word)
        || Profile::ALL.iter().any(|profile| profile.name() == word)
}

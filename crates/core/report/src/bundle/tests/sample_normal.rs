//! Figures of one directory with a value in every field.

use bakeoff_model::normal::{
    Because, Below, Label, LinkLimit, Medium, Normal, Normality, PlaceFigure, Tail, Test,
    WhyUnknown,
};
use bakeoff_model::others::{Among, AmongOthers, Others};

fn figure(normality: Normality) -> PlaceFigure {
    PlaceFigure {
        test: Test::SeqWrite,
        bytes_per_s: 20e6,
        iops: 19.0,
        tail: Some(Tail { percent: 95, ns: 1_000_000, of_flushes: true }),
        others: Some(AmongOthers {
            others: Others {
                medium: Medium::Sd,
                link: Some("sd-ddr50".into()),
                n: 26,
                tenths: [6.6e6, 12e6, 13e6, 18e6, 20e6, 23e6, 32e6, 35e6, 36e6, 38.7e6, 39.6e6],
                sources: vec!["a site".into()],
            },
            low: 19e6,
            high: 21e6,
            among: Among::Usual,
        }),
        link: Some(LinkLimit { practice_bytes_per_s: 44e6, source: "a table".into() }),
        label: Some(Label { class: "U3".into(), bytes_per_s: 30e6, source: "a table".into() }),
        normality,
        because: vec![Because::SlowLink],
    }
}

pub fn normal() -> Normal {
    let every = [
        Normality::Normal { at_link_limit: true },
        Normality::Slow { below: Below::Label },
        Normality::Disturbed { by: vec!["L52".into()] },
        Normality::Fast { is_from_cache: true },
        Normality::Cached { is_certain: true },
        Normality::Unknown,
    ];
    Normal {
        board: Some("Raspberry Pi 4 Model B".into()),
        medium: Some(Medium::Sd),
        unknown: Some(WhyUnknown::OtherBus),
        card_class: Some("class 10, U3".into()),
        link: Some("SD, sd uhs DDR50".into()),
        is_encrypted: true,
        figures: every.into_iter().map(figure).collect(),
    }
}

//! Figures of one directory with a value in every field, for the page of formats.

use bakeoff_model::event::What;
use bakeoff_model::normal::{
    Because, Below, Confidence, Earlier, EarlierFigure, EarlierFigures, Label, LinkLimit, Medium,
    Normal, Normality, PlaceFigure, Tail, Test, Usual, WhyUnknown,
};
use bakeoff_model::power::{Energy, MeterScope};

fn runs() -> Earlier {
    Earlier { low: 40e6, high: 43e6, runs: vec!["0123456789abcdee".into()] }
}

/// What a run takes over from earlier ones.
pub fn of_earlier_runs() -> [What; 2] {
    let pooled = super::sample_telemetry::pooled();
    [What::PooledControls(Box::new(pooled)), What::EarlierFigures(Box::new(earlier()))]
}

fn earlier() -> EarlierFigures {
    let of =
        EarlierFigure { test: Test::SeqRead, same_drive: Some(runs()), same_kind: Some(runs()) };
    EarlierFigures { workloads: vec![of] }
}

pub fn energy() -> Energy {
    Energy {
        meter: MeterScope::Package,
        names: vec!["package-0".into()],
        watts: 4.0,
        joules_per_gb: Some(40.0),
        joules_per_1000_ios: Some(0.1),
    }
}

fn figure(normality: Normality) -> PlaceFigure {
    PlaceFigure {
        test: Test::SeqWrite,
        bytes_per_s: 20e6,
        iops: 19.0,
        tail: Some(Tail { percent: 95, ns: 1_000_000, of_flushes: true }),
        energy: Some(energy()),
        usual: Some(Usual {
            low: 2e6,
            high: Some(50e6),
            confidence: Confidence::Measured,
            source: "a table".into(),
            widened_by: vec!["0123456789abcdee".into()],
        }),
        link: Some(LinkLimit { practice_bytes_per_s: 44e6, source: "a table".into() }),
        label: Some(Label { class: "U3".into(), bytes_per_s: 30e6, source: "a table".into() }),
        earlier: Some(runs()),
        normality,
    }
}

pub fn normal() -> Normal {
    let because = vec![Because::SlowLink];
    let every = [
        Normality::Normal { at_link_limit: true },
        Normality::Slow { below: Below::Label, because },
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

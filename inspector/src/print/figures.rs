//! Numbers and bars as they are printed.

use s2sampler_core::StageReport;

/// The width of a full bar, in characters.
pub const BAR: usize = 24;

/// A share in percent: three decimals, and a power of ten where they would say nothing.
pub fn percent(share: f64) -> String {
    if share == 0.0 || share >= 1e-4 {
        format!("{:.3} %", share * 100.0)
    } else {
        format!("{:.1e} %", share * 100.0)
    }
}

/// An entropy; that of a certainty may come as -0.
pub fn nats(entropy: f64) -> String {
    format!("{:.4}", entropy + 0.0)
}

pub fn logit(value: f32) -> String {
    let size = value.abs();
    if size.is_finite() && size != 0.0 && !(1e-3..1e6).contains(&size) {
        format!("{value:.3e}")
    } else {
        format!("{value:.4}")
    }
}

/// What cut, with its unit; nothing if the stage has no such number.
pub fn threshold(stage: &StageReport) -> String {
    match stage.threshold {
        _ if stage.off => "off".to_owned(),
        None => String::new(),
        Some(value) if stage.unit.contains("probability") => {
            format!("{} {}", stage.unit, percent(value))
        }
        // Counts stay whole, everything else gets decimals.
        Some(value) if value.fract() == 0.0 => format!("{} {value}", stage.unit),
        Some(value) => format!("{} {value:.4}", stage.unit),
    }
}

/// A bar for `share` of `full`, in eighths of a character.
pub fn bar(share: f64, full: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = eighths(share, full);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// The bar of what was dropped: paler, and in whole characters.
pub fn pale_bar(share: f64, full: f64) -> String {
    "░".repeat(eighths(share, full).div_ceil(8))
}

fn eighths(share: f64, full: f64) -> usize {
    let part = if full > 0.0 { (share / full).clamp(0.0, 1.0) } else { 0.0 };
    // At most the width: the cast loses nothing. What is there at all shows.
    let eighths = (part * (BAR * 8) as f64).round() as usize;
    if share > 0.0 { eighths.max(1) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_never_round_to_nothing() {
        let texts = [0.0, 1.0, 0.150_773, 0.0001, 0.000_01, 1e-300].map(percent);
        let want = ["0.000 %", "100.000 %", "15.077 %", "0.010 %", "1.0e-3 %", "1.0e-298 %"];
        assert_eq!(texts, want);
    }

    #[test]
    fn certainty_has_no_sign() {
        assert_eq!([-0.0, 1.25].map(nats), ["0.0000", "1.2500"]);
    }

    #[test]
    fn logits_of_any_size_are_short() {
        let values = [0.0, -12.5, 999_999.9, 1e6, -1e-9, f32::INFINITY, f32::NEG_INFINITY];
        let want = ["0.0000", "-12.5000", "999999.8750", "1.000e6", "-1.000e-9", "inf", "-inf"];
        assert_eq!(values.map(logit), want);
        assert_eq!(logit(f32::NAN), "NaN");
    }

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(bar(1.0, 1.0), "█".repeat(BAR));
        assert_eq!(bar(0.5, 1.0), "█".repeat(BAR / 2));
        assert_eq!(bar(1.0 / (BAR as f64 * 2.0), 1.0), "▌");
        assert_eq!(bar(1e-9, 1.0), "▏");
        assert_eq!([bar(0.0, 1.0), bar(f64::NAN, 1.0), bar(0.0, 0.0)], ["", "", ""]);
        assert_eq!(pale_bar(0.5, 1.0), "░".repeat(BAR / 2));
        assert_eq!(pale_bar(1e-9, 1.0), "░");
    }
}

//! How well one colour can be told from another, for all eyes.

use eframe::egui::{Color32, Rgba};

/// The contrast of two opaque colours as WCAG 2 defines it: 1 for the same, 21 for black on white.
pub fn contrast(a: Color32, b: Color32) -> f32 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(colour: Color32) -> f32 {
    let linear = Rgba::from(colour);
    0.2126 * linear.r() + 0.7152 * linear.g() + 0.0722 * linear.b()
}

#[cfg(test)]
mod tests {
    use engine::record::{NameId, Role, SpanKind};

    use super::*;
    use crate::theme::{DARK, LIGHT, SpanColours, Theme};

    /// What eyes without cones of one sort see, in linear RGB (Viénot, Brettel and Mollon, 1999).
    const EYES: [(&str, [[f32; 3]; 3]); 3] = [
        (
            "all cones",
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ),
        (
            "no red cones",
            [
                [0.112_38, 0.887_62, 0.0],
                [0.112_38, 0.887_62, 0.0],
                [0.004_01, -0.004_01, 1.0],
            ],
        ),
        (
            "no green cones",
            [
                [0.292_75, 0.707_25, 0.0],
                [0.292_75, 0.707_25, 0.0],
                [-0.022_34, 0.022_34, 1.0],
            ],
        ),
    ];

    /// A colour as CIE L*a*b* (D65).
    fn lab(rgb: [f32; 3]) -> [f32; 3] {
        let [red, green, blue] = rgb.map(|channel| channel.max(0.0));
        let x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505;
        let y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        let z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089;
        let f = |t: f32| {
            if t > 0.008_856 {
                t.cbrt()
            } else {
                7.787 * t + 16.0 / 116.0
            }
        };
        [
            116.0 * f(y) - 16.0,
            500.0 * (f(x) - f(y)),
            200.0 * (f(y) - f(z)),
        ]
    }

    fn seen(colour: Color32, eye: [[f32; 3]; 3]) -> [f32; 3] {
        let linear = Rgba::from(colour);
        let rgb = [linear.r(), linear.g(), linear.b()];
        lab(eye.map(|row| {
            row.iter()
                .zip(rgb)
                .map(|(weight, channel)| weight * channel)
                .sum()
        }))
    }

    fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
        a.iter()
            .zip(b)
            .map(|(a, b)| (a - b) * (a - b))
            .sum::<f32>()
            .sqrt()
    }

    #[test]
    fn black_on_white_has_the_most_contrast() {
        assert!((contrast(Color32::BLACK, Color32::WHITE) - 21.0).abs() < 0.01);
        assert!((contrast(Color32::RED, Color32::RED) - 1.0).abs() < 0.01);
    }

    #[test]
    fn text_can_be_read_wherever_it_stands() {
        for theme in [&DARK, &LIGHT] {
            let grounds = [
                theme.panel,
                theme.canvas,
                theme.row,
                theme.well,
                theme.hovered,
                theme.chosen,
            ];
            let inks = [
                theme.text,
                theme.weak,
                theme.accent,
                theme.good,
                theme.warning,
                theme.bad,
                theme.cause,
                theme.effect,
            ];
            for ground in grounds {
                for ink in inks {
                    let found = contrast(ink, ground);
                    assert!(
                        found >= 4.5,
                        "{ink:?} on {ground:?} has {found:.2}, dark: {}",
                        theme.dark
                    );
                }
            }
        }
    }

    fn fills(theme: &Theme) -> impl Iterator<Item = Color32> {
        let names = (0..40).map(NameId);
        names.flat_map(move |name| {
            Role::ALL.iter().flat_map(move |role| {
                SpanKind::ALL
                    .iter()
                    .map(move |kind| theme.span(*role, *kind, name))
            })
        })
    }

    #[test]
    fn labels_can_be_read_on_every_span_and_spans_on_every_row() {
        let modes = [SpanColours::Role, SpanColours::Kind, SpanColours::Name];
        for theme in modes
            .into_iter()
            .flat_map(|it| [true, false].map(|dark| Theme::of(dark, it)))
        {
            for fill in fills(theme) {
                let found = contrast(theme.ink(fill), fill);
                assert!(found >= 4.5, "label on {fill:?} has {found:.2}");
                let (ground, _) = theme.hatched(fill);
                let found = contrast(theme.ink(ground), ground);
                assert!(found >= 4.5, "label on hatched {fill:?} has {found:.2}");
                let found = contrast(fill, theme.row);
                assert!(found >= 1.5, "{fill:?} on its row has {found:.2}");
            }
        }
    }

    #[test]
    fn colours_go_by_what_they_are_to_say() {
        let span =
            |colours, role, kind, name| Theme::of(true, colours).span(role, kind, NameId(name));
        let (copy, kernel) = (SpanKind::Copy, SpanKind::Kernel);
        for name in 0..100 {
            let by_name = |role, kind| span(SpanColours::Name, role, kind, name);
            assert_eq!(
                by_name(Role::Compute, kernel),
                by_name(Role::None, SpanKind::Call)
            );
            assert_ne!(
                by_name(Role::None, kernel),
                span(SpanColours::Name, Role::None, kernel, name + 1)
            );
            let by_kind = |role, kind| span(SpanColours::Kind, role, kind, name);
            assert_eq!(
                by_kind(Role::Compute, kernel),
                by_kind(Role::Collective, kernel)
            );
            assert_ne!(by_kind(Role::Compute, kernel), by_kind(Role::Compute, copy));
        }
    }

    #[test]
    fn values_of_a_field_are_told_apart_and_from_spans_without_it() {
        for theme in [&DARK, &LIGHT] {
            let far = |one: Color32, other: Color32| {
                let parts = one.to_array().into_iter().zip(other.to_array());
                parts.map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>()
            };
            let without = Theme::of(theme.dark, SpanColours::Field);
            let without = without.span(Role::None, SpanKind::Kernel, NameId(0));
            for number in 0..36 {
                assert!(far(theme.value(number), without) > 40, "{number}");
            }
            for (one, other) in (0..9).flat_map(|one| (0..one).map(move |it| (one, it))) {
                let apart = far(theme.value(one), theme.value(other));
                assert!(apart > 40, "{one} and {other}: {apart}");
            }
        }
    }

    #[test]
    fn roles_can_be_told_apart_by_all_eyes() {
        let roles = [
            Role::Compute,
            Role::HostToDevice,
            Role::DeviceToHost,
            Role::DeviceToDevice,
            Role::Collective,
            Role::Barrier,
            Role::CriticalSection,
            Role::LazyJob,
            Role::PinnedCompute,
        ];
        for theme in [&DARK, &LIGHT] {
            for (eye, matrix) in EYES {
                for (at, a) in roles.iter().enumerate() {
                    for b in roles.iter().skip(at + 1) {
                        let found =
                            distance(seen(theme.role(*a), matrix), seen(theme.role(*b), matrix));
                        assert!(
                            found >= 11.0,
                            "{a:?} and {b:?} are {found:.1} apart with {eye}, dark: {}",
                            theme.dark
                        );
                    }
                }
            }
        }
    }
}

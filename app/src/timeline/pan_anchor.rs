//! Where pixels are counted from while the view only pans: it moves by whole pixels then, and what is drawn stays true.

use super::scale::Scale;

/// How far the view may go from its pin, in pixels, before it is pinned anew.
const FAR: f64 = (1 << 29) as f64;

/// What a frame knows of the pin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnchoredFrame {
    /// The scale that was pinned.
    pub scale: Scale,
    /// Another number for every pin, from 1 on.
    pub number: u64,
    /// How many pixels further the view begins now.
    pub moved: i32,
    /// Whether it was pinned in this frame.
    pub is_new: bool,
}

/// The pin, kept from frame to frame.
#[derive(Default)]
pub struct PanAnchor {
    pinned: Option<(AnchoredFrame, f32)>,
}

impl PanAnchor {
    /// `scale` moved to the nearest whole pixel from where it is pinned, `density` pixels a point; it is pinned anew where
    /// it is not of the same width and length.
    pub fn snap(&mut self, scale: Scale, density: f32) -> (Scale, AnchoredFrame) {
        if let Some((pinned, known)) = &mut self.pinned
            && *known == density
            && let Some(points) = pinned.scale.panned(&scale)
            && (points * f64::from(density)).abs() < FAR
        {
            let moved = (points * f64::from(density)).round();
            (pinned.moved, pinned.is_new) = (moved as i32, false);
            return (pinned.scale.further(moved / f64::from(density)), *pinned);
        }
        let number = self.pinned.map_or(0, |(pinned, _)| pinned.number) + 1;
        let pinned = AnchoredFrame {
            scale,
            number,
            moved: 0,
            is_new: true,
        };
        self.pinned = Some((pinned, density));
        (scale, pinned)
    }
}

#[cfg(test)]
mod tests {
    use engine::time::{Interval, Nanos};

    use super::*;

    fn scale(start: i64, length: i64) -> Scale {
        Scale::new(
            Interval::new(Nanos(start), Nanos(start + length)),
            10.0,
            700.0,
        )
    }

    #[test]
    fn a_view_that_pans_moves_by_whole_pixels() {
        let mut pin = PanAnchor::default();
        let (first, pinned) = pin.snap(scale(0, 1_000_003), 2.0);
        assert_eq!(
            (first, pinned.is_new, pinned.moved),
            (scale(0, 1_000_003), true, 0)
        );
        for start in [1, 300, 357, 358, 1_000, 777_777, -5_000] {
            let wanted = scale(start, 1_000_003);
            let (shown, now) = pin.snap(wanted, 2.0);
            assert_eq!((now.number, now.is_new), (pinned.number, false));
            let at = |scale: &Scale| f64::from(scale.x_from_time(Nanos(500_000))) * 2.0;
            assert!((at(&shown) - at(&wanted)).abs() <= 0.5 + 1e-3, "{start}");
            let whole = at(&first) - at(&shown);
            assert!(
                (whole - f64::from(now.moved)).abs() < 1e-3,
                "{start}: {whole}"
            );
            assert_eq!(shown.length(), wanted.length());
        }
    }

    #[test]
    fn another_zoom_width_or_screen_is_pinned_anew() {
        let mut pin = PanAnchor::default();
        let mut number = |scale, density| pin.snap(scale, density).1.number;
        let first = number(scale(0, 1_000), 1.0);
        assert_eq!(number(scale(400, 1_000), 1.0), first);
        assert_eq!(number(scale(400, 1_001), 1.0), first + 1);
        assert_eq!(number(scale(400, 1_001), 2.0), first + 2);
        let wider = Scale::new(Interval::new(Nanos(0), Nanos(1_001)), 10.0, 701.0);
        assert_eq!(number(wider, 2.0), first + 3);
        assert_eq!(number(scale(1 << 60, 1_001), 2.0), first + 4);
        assert_eq!(number(scale(0, 1_001), 2.0), first + 5, "too far to count");
    }
}

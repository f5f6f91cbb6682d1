//! Colours of a heatmap: from what is hardly there to what stands out, in even steps for all eyes.

use eframe::egui::Color32;

use super::{Theme, mixed, rgb};

/// The steps between which colours are mixed, the least first, on a light ground: the scale `YlGnBu` of `ColorBrewer` without its palest.
const STEPS: [Color32; 8] = [
    rgb(0x00ED_F8B1),
    rgb(0x00C7_E9B4),
    rgb(0x007F_CDBB),
    rgb(0x0041_B6C4),
    rgb(0x001D_91C0),
    rgb(0x0022_5EA8),
    rgb(0x0025_3494),
    rgb(0x0008_1D58),
];
/// The palest, which stands out on a dark ground, and the darkest that does not merge with it.
const PALEST: Color32 = rgb(0x00FF_FFD9);
const DARKEST: Color32 = rgb(0x0019_2A66);

impl Theme {
    /// The colours between which those of a heatmap are mixed evenly, the least first. The most stands out from the ground.
    fn heat_steps(&self) -> [Color32; 8] {
        let mut steps = STEPS;
        if self.dark {
            steps.reverse();
            let [first, .., last] = &mut steps;
            (*first, *last) = (DARKEST, PALEST);
        }
        steps
    }

    /// The colour of a value that lies so far from the least, 0, to the most, 1.
    pub fn heat(&self, share: f32) -> Color32 {
        let steps = self.heat_steps();
        let at = share.clamp(0.0, 1.0) * (steps.len() - 1) as f32;
        let below = (at as usize).min(steps.len() - 2);
        match steps.get(below..below + 2) {
            Some([low, high]) => mixed(*high, *low, at - below as f32),
            _ => self.lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::theme::{DARK, LIGHT, contrast};

    #[test]
    fn more_stands_out_more_from_the_ground() {
        for theme in [&DARK, &LIGHT] {
            let of = |at: u8| contrast(theme.heat(f32::from(at) / 50.0), theme.canvas);
            for at in 1..=50 {
                assert!(of(at) > of(at - 1), "{at} of 50, dark: {}", theme.dark);
            }
            assert!(of(50) > 10.0);
            assert_eq!(theme.heat(2.0), theme.heat(1.0));
        }
    }
}

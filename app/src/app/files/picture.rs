//! What is on screen as a picture of pixels, written by a thread of its own.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{Color32, ColorImage, Rect};
use engine::exporter;

use super::{JobMessage, JobSender};

/// Writes the part `area` of `image`, which has `pixels` pixels a point, to `path` in PNG.
pub fn write(
    path: PathBuf,
    image: Arc<ColorImage>,
    (area, pixels): (Rect, f32),
    answering: JobSender,
) {
    let failed = answering.clone();
    let thread = std::thread::Builder::new().name(String::from("picture"));
    let work = move || {
        let part = image.region(&area, Some(pixels));
        let written = encode(&part, &path);
        answering.say(match written {
            Ok(()) => JobMessage::Exported(path, String::new()),
            Err(error) => {
                JobMessage::Failed(Some(format!("{} was not written: {error}", path.display())))
            }
        });
    };
    if let Err(error) = thread.spawn(work) {
        failed.say(JobMessage::Failed(Some(format!(
            "no thread could be started: {error}"
        ))));
    }
}

/// Writes `image` to `path`, whole or not at all.
fn encode(image: &ColorImage, path: &Path) -> io::Result<()> {
    let [width, height] = image
        .size
        .map(|side| u32::try_from(side).unwrap_or(u32::MAX));
    let bytes = pixels(image);
    exporter::replace(path, &mut |_| true, &mut |output: &mut dyn Write| {
        let mut encoder = png::Encoder::new(output, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        writer.finish()?;
        Ok(())
    })
}

fn pixels(image: &ColorImage) -> Vec<u8> {
    let each = image.pixels.iter();
    each.flat_map(Color32::to_srgba_unmultiplied).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_what_was_seen() {
        let colors = [Color32::RED, Color32::GREEN, Color32::BLUE, Color32::WHITE];
        let image = ColorImage::new([2, 2], colors.to_vec());
        let path = std::env::temp_dir().join(format!("syncline-{}.png", std::process::id()));
        encode(&image, &path).unwrap();
        let file = io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let seen = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((seen.width, seen.height), (2, 2));
        assert_eq!(bytes, pixels(&image));
        std::fs::remove_file(&path).unwrap();
    }
}

//! Packed files: each packing, packings in packings, cut ones, bombs.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::Source;
use crate::importer::ImportError;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    ruzstd::encoding::compress_to_vec(bytes, level)
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn text() -> Vec<u8> {
    let lines = (0..20_000).map(|line| format!("line {line}\n"));
    lines.collect::<String>().into_bytes()
}

fn read(source: &Source) -> Vec<u8> {
    let mut bytes = Vec::new();
    source.reader().unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn packings_are_told_by_content_and_may_lie_in_each_other() {
    let text = text();
    let packed = [
        (gzip(&text), "gzip"),
        (zstd(&text), "zstd"),
        (zip(&[("a/b.json", &text)]), "zip"),
        (zip(&[("a.json.gz", &gzip(&text))]), "gzip in zip"),
        (gzip(&zstd(&gzip(&text))), "gzip in zstd in gzip"),
        ([gzip(&text[..100]), gzip(&text[100..])].concat(), "gzip"),
        ([gzip(&text), vec![0; 300_000]].concat(), "gzip"),
        ([zstd(&text[..100]), zstd(&text[100..])].concat(), "zstd"),
    ];
    for (bytes, how) in packed {
        let source = Source::from_bytes("named.txt", bytes).unwrap();
        assert_eq!(source.packed().as_deref(), Some(how));
        assert_eq!(source.head(), &text[..65_536], "{how}");
        assert_eq!(read(&source), text, "{how}");
        assert_eq!(source.damage(), None, "{how}");
        assert_eq!(read(&source), text, "{how}, for the second time");
    }
}

#[test]
fn the_largest_file_of_an_archive_is_opened_and_the_others_are_named() {
    let archive = zip(&[("small", b"x"), ("large", b"xxxxx"), ("other", b"xx")]);
    let source = Source::from_bytes("a.zip", archive).unwrap();
    assert_eq!(read(&source), b"xxxxx");
    let notes = source.notes().join(" ");
    assert!(
        notes.contains("3 files") && notes.contains("large"),
        "{notes}"
    );
}

#[test]
fn what_is_whole_of_a_cut_packing_is_read_and_the_cut_is_told() {
    let text = text();
    let mut told = 0;
    for whole in [gzip(&text), zstd(&text), zip(&[("a", &text)])] {
        for length in (1..whole.len()).step_by(whole.len() / 200) {
            let answer = Source::from_bytes("cut", whole[..length].to_vec());
            let Ok(source) = answer else {
                assert!(
                    matches!(answer, Err(ImportError::Packed { .. })),
                    "{answer:?}"
                );
                continue;
            };
            if source.packed().is_some() {
                let bytes = read(&source);
                assert!(text.starts_with(&bytes));
                // A zip that lost its table alone still holds its file.
                assert!(source.damage().is_some() || bytes == text);
                told += 1;
            }
        }
    }
    assert!(told > 200);
}

/// Of a frame of zstd that lost its end all is read that came before; of one in which a bit is another, either everything is as it was
/// packed, or it is told that it is not.
#[test]
fn a_frame_that_is_not_as_it_was_packed_is_told() {
    let text = text();
    let whole = zstd(&text);
    for lost in 1..5 {
        let source = Source::from_bytes("cut", whole[..whole.len() - lost].to_vec()).unwrap();
        assert_eq!(read(&source), text, "without {lost}");
        assert!(source.damage().is_some(), "without {lost}");
    }
    let mut told = 0;
    for bit in (64..whole.len() * 8).step_by(whole.len() / 40) {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let Ok(source) = Source::from_bytes("flipped", flipped) else {
            continue;
        };
        let bytes = read(&source);
        assert!(source.damage().is_some() || bytes == text, "bit {bit}");
        told += u32::from(source.damage().is_some());
    }
    assert!(told > 200, "{told}");
    let skipped = [
        &[0x55, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4][..],
        &whole,
    ]
    .concat();
    let source = Source::from_bytes("skipped", skipped).unwrap();
    assert_eq!((read(&source), source.damage()), (text, None));
}

#[test]
fn a_bomb_ends() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..300 {
        encoder.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let source = Source::from_bytes("bomb", encoder.finish().unwrap()).unwrap();
    let mut given = 0;
    let mut reader = source.reader().unwrap();
    let mut piece = vec![0; 1 << 20];
    while let count @ 1.. = reader.read(&mut piece).unwrap() {
        given += count;
    }
    assert!(given < 200 << 20, "{given}");
    assert!(source.damage().unwrap().contains("200 times"));
}

#[test]
fn a_frame_that_wants_too_much_memory_is_told_as_that() {
    // A frame of zstd whose window is 2 GiB, and a block of one byte.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, (31 - 10) << 3];
    frame.extend([0b1001, 0, 0, b'[']);
    match Source::from_bytes("a.json.zst", frame) {
        Err(ImportError::Packed { why, .. }) => {
            assert!(why.starts_with("unpacking it would take 2148 MB"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn packings_without_end_are_refused() {
    let mut bytes = text();
    for _ in 0..6 {
        bytes = gzip(&bytes);
    }
    let answer = Source::from_bytes("nested", bytes);
    assert!(matches!(answer, Err(ImportError::Nested(_))), "{answer:?}");
    let answer = Source::from_bytes("nothing.gz", gzip(b""));
    assert!(
        matches!(answer, Err(ImportError::Packed { .. })),
        "{answer:?}"
    );
}

#[test]
fn an_archive_packed_otherwise_is_named_by_its_method() {
    let text = text();
    for (number, name) in [
        (12_u16, "Bzip2"),
        (14, "Lzma"),
        (93, "Zstd"),
        (9, "Deflate64"),
    ] {
        let mut archive = zip(&[("a.json", &text)]);
        let central = archive
            .windows(4)
            .rposition(|it| it == b"PK\x01\x02")
            .unwrap();
        for place in [8, central + 10] {
            archive[place..place + 2].copy_from_slice(&number.to_le_bytes());
        }
        // The same where the table at the end is missing.
        for bytes in [archive.clone(), archive[..central].to_vec()] {
            let answer = Source::from_bytes("a.zip", bytes);
            let Err(ImportError::Unsupported { method, .. }) = &answer else {
                panic!("{answer:?}")
            };
            assert_eq!(method, name);
        }
    }
}

#[test]
fn stored_files_of_an_archive_without_its_table_are_read() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    writer.start_file("a", options).unwrap();
    writer.write_all(b"stored").unwrap();
    let whole = writer.finish().unwrap().into_inner();
    let table = whole.windows(4).position(|it| it == b"PK\x01\x02").unwrap();
    let source = Source::from_bytes("a.zip", whole[..table].to_vec()).unwrap();
    assert_eq!(read(&source), b"stored");
}

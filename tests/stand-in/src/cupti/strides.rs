//! How long CUPTI 13.0's records are, by their kinds.

/// Kinds and bytes, as CUPTI 13.0.85 walks them.
const STRIDES: &[(u32, usize)] = &[
    (1, 96),
    (2, 88),
    (3, 216),
    (4, 40),
    (5, 40),
    (8, 184),
    (9, 32),
    (10, 216),
    (11, 32),
    (12, 56),
    (13, 40),
    (17, 56),
    (18, 144),
    (19, 40),
    (20, 40),
    (22, 96),
    (25, 104),
    (26, 32),
    (27, 24),
    (28, 24),
    (33, 152),
    (34, 152),
    (35, 120),
    (36, 56),
    (37, 24),
    (38, 56),
    (39, 24),
    (40, 136),
    (45, 80),
    (46, 168),
    (47, 40),
    (48, 40),
    (49, 128),
    (50, 80),
    (51, 56),
    (52, 72),
    (53, 56),
    (54, 64),
    (55, 32),
];

/// Bytes of a record of `kind`, where there is such a kind.
pub fn stride(kind: u32) -> Option<usize> {
    let found = STRIDES.iter().find(|(known, _)| *known == kind);
    found.map(|(_, bytes)| *bytes)
}

//! Whether a workload fits a device, asked before it is run.

use backend::Caps;
use workload::Plan;

/// Bytes of one number of a buffer.
const FLOAT: u64 = 4;

/// What `plan` needs and a device of these `caps` lacks, in words for the user; nothing where it fits.
pub fn lack(plan: &Plan, caps: &Caps) -> Option<String> {
    let most = caps.limits.buffer_bytes;
    let bytes = |len: usize| (len as u64).saturating_mul(FLOAT);
    let large = plan.buffers.iter().max_by_key(|buffer| buffer.len)?;
    let needed = bytes(large.len);
    (needed > most).then(|| {
        format!(
            "buffer {} holds {needed} bytes, and this device takes {most} in one buffer: make it smaller, by a \
             parameter for example",
            large.name
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use backend::BACKENDS;
    use workload::Document;

    #[test]
    fn a_buffer_that_is_too_large_is_named() {
        let source = "about \"x\"\nstream \"s\"\nbuffer \"small\" f32=4\nbuffer \"large\" f32=100\nhost \"main\" { work micros=1 }\n";
        let plan = Document::parse("x", source).unwrap().plan(&[]).unwrap();
        let found = BACKENDS
            .iter()
            .find_map(|backend| backend.probe().ok()?.pop());
        let mut caps = found.unwrap().caps;
        assert_eq!(lack(&plan, &caps), None);
        caps.limits.buffer_bytes = 399;
        assert!(
            lack(&plan, &caps)
                .unwrap()
                .starts_with("buffer large holds 400 bytes")
        );
    }
}

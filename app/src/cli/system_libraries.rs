//! Libraries of the system that a window opens by name when it is drawn, and which of them are missing here.

use std::path::Path;

/// Where the system's loader keeps the names of all libraries that it finds.
const LOADER_CACHE: &str = "/etc/ld.so.cache";

/// What a library is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LibraryUse {
    X11,
    Wayland,
    Drawing,
}

/// Each library with the package of Debian that has it, as `.ci/install` does.
const LIBRARIES: &[(LibraryUse, &str, &str)] = &[
    (LibraryUse::X11, "libX11.so.6", "libx11-6"),
    (LibraryUse::X11, "libX11-xcb.so.1", "libx11-xcb1"),
    (LibraryUse::X11, "libXcursor.so.1", "libxcursor1"),
    (LibraryUse::X11, "libXi.so.6", "libxi6"),
    (LibraryUse::X11, "libXrandr.so.2", "libxrandr2"),
    (
        LibraryUse::X11,
        "libxkbcommon-x11.so.0",
        "libxkbcommon-x11-0",
    ),
    (
        LibraryUse::Wayland,
        "libwayland-client.so.0",
        "libwayland-client0",
    ),
    (
        LibraryUse::Wayland,
        "libwayland-cursor.so.0",
        "libwayland-cursor0",
    ),
    (
        LibraryUse::Wayland,
        "libwayland-egl.so.1",
        "libwayland-egl1",
    ),
    (LibraryUse::Drawing, "libxkbcommon.so.0", "libxkbcommon0"),
    (LibraryUse::Drawing, "libEGL.so.1", "libegl1"),
    (LibraryUse::Drawing, "libGL.so.1", "libgl1"),
    (LibraryUse::Drawing, "libvulkan.so.1", "libvulkan1"),
];
/// What is looked for in [`DRIVER_FOLDERS`], and Debian's package that always is one.
const DRIVER: (&str, &str) = ("a driver for Vulkan", "mesa-vulkan-drivers");
/// Where drivers of Vulkan say that they are there.
const DRIVER_FOLDERS: &[&str] = &["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// Says which libraries are missing and how to get them; nothing where all are there, or where that cannot be known.
pub(super) fn missing(is_wayland: bool) -> Option<String> {
    let cache = std::fs::read(LOADER_CACHE).ok()?;
    let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let is_there = |name: &str| {
        if name == DRIVER.0 {
            return DRIVER_FOLDERS.iter().any(|it| has_files(Path::new(it)));
        }
        let entry = [name.as_bytes(), b"\0"].concat();
        memchr::memmem::find(&cache, &entry).is_some()
            || std::env::split_paths(&named).any(|folder| folder.join(name).exists())
    };
    let unused = if is_wayland {
        LibraryUse::X11
    } else {
        LibraryUse::Wayland
    };
    said(unused, &is_there)
}

fn has_files(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut it| it.next().is_some())
}

fn said(unused: LibraryUse, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
    let used = LIBRARIES.iter().filter(|it| it.0 != unused);
    let used = used.map(|(_, name, package)| (*name, *package));
    let absent = used.chain([DRIVER]).filter(|it| !is_there(it.0));
    let (names, packages): (Vec<&str>, Vec<&str>) = absent.unzip();
    (!names.is_empty()).then(|| {
        format!(
            "The system lacks {}: on Debian and Ubuntu, `apt install {}` installs what is missing",
            names.join(", "),
            packages.join(" ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_its_package() {
        let there_but = |absent: &'static [&'static str]| move |name: &str| !absent.contains(&name);
        assert_eq!(said(LibraryUse::Wayland, &there_but(&[])), None);
        let absent = there_but(&["libXi.so.6", "libwayland-egl.so.1", DRIVER.0]);
        assert_eq!(
            said(LibraryUse::Wayland, &absent).unwrap(),
            "The system lacks libXi.so.6, a driver for Vulkan: on Debian and Ubuntu, `apt install libxi6 \
             mesa-vulkan-drivers` installs what is missing"
        );
        let text = said(LibraryUse::X11, &absent).unwrap();
        assert!(
            text.contains("libwayland-egl1") && !text.contains("libxi6"),
            "{text}"
        );
    }
}

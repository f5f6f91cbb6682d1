//! The look: every colour and every size, in a light and a dark theme.

mod contrast;
mod heat;
mod missing_glyph;
mod style;

pub use contrast::contrast;
pub use style::{install, mono, small};

use eframe::egui::Color32;
use engine::record::{NameId, Role, SpanKind};

/// Distances and sizes are multiples of this many points.
pub const GRID: f32 = 4.0;
/// Height of a lane's row, in points.
pub const ROW: f32 = 20.0;
/// Height of a lane's row when rows are dense, in points.
pub const ROW_DENSE: f32 = 12.0;
/// Gap between two rows, in points.
pub const ROW_GAP: f32 = 8.0;
/// Rounding of a span's corners, in points.
pub const RADIUS: f32 = 3.0;
/// Width of the column of lane names, in points.
pub const LANE_NAMES: f32 = 120.0;
/// Height of the ruler, in points.
pub const RULER: f32 = 24.0;
/// Height of the minimap, in points.
pub const MINIMAP: f32 = 36.0;
/// Size of body text, in points.
pub const BODY: f32 = 13.0;
/// Size of small text, in points.
pub const SMALL: f32 = 11.0;
/// Size of text with digits under digits, in points.
pub const MONO: f32 = 12.0;
/// Size of headings, in points.
pub const HEADING: f32 = 16.0;

/// What the colour of a span says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpanColours {
    /// What its stream is for; its name by the shade.
    #[default]
    Role,
    /// What sort of operation it is.
    Kind,
    /// What it is called: spans of one name have one colour.
    Name,
    /// What it has of the field that the view names.
    Field,
}

/// What a picture is painted with: another one for every choice of colours, and for all that the values of a field were given.
pub type PaintKey = (bool, SpanColours, u32);

/// The colours of one theme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// What the colours of spans say.
    pub colours: SpanColours,
    /// Whether it is the dark one.
    pub dark: bool,
    /// Behind panels and bars.
    pub panel: Color32,
    /// Behind the timeline.
    pub canvas: Color32,
    /// Behind every lane's row.
    pub row: Color32,
    /// Behind fields, editors and cards.
    pub well: Color32,
    /// Behind what is pointed at.
    pub hovered: Color32,
    /// Behind what is chosen.
    pub chosen: Color32,
    /// Lines that part areas, and the ruler's grid.
    pub line: Color32,
    /// Text.
    pub text: Color32,
    /// Text that matters less.
    pub weak: Color32,
    /// The one accent: what can be moved, and the open tab.
    pub accent: Color32,
    /// What is well: expectations that hold, a live run.
    pub good: Color32,
    /// What needs care.
    pub warning: Color32,
    /// What went wrong: errors, faults, lost work.
    pub bad: Color32,
    /// Arrows and links to causes of the selection.
    pub cause: Color32,
    /// Arrows and links to effects of the selection.
    pub effect: Color32,
    /// Arrows that are neither.
    pub arrow: Color32,
    /// Outline of the selected span.
    pub selected: Color32,
    /// Behind the selected range of time; to be drawn over the rows, translucent.
    pub range: Color32,
    /// The light text on spans.
    pub ink_light: Color32,
    /// The dark text on spans.
    pub ink_dark: Color32,
    /// Fill of work that was lost or cancelled.
    pub lost: Color32,
    hues: LaneHues,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct LaneHues {
    host: Color32,
    device: Color32,
    compile: Color32,
    compute: Color32,
    host_to_device: Color32,
    device_to_host: Color32,
    device_to_device: Color32,
    collective: Color32,
    barrier: Color32,
    critical_section: Color32,
    lazy_job: Color32,
    pinned_compute: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// The dark theme.
pub const DARK: Theme = Theme {
    colours: SpanColours::Role,
    dark: true,
    panel: rgb(0x001B_1D24),
    canvas: rgb(0x0016_171C),
    row: rgb(0x001C_1E25),
    well: rgb(0x0013_1419),
    hovered: rgb(0x0027_2A33),
    chosen: rgb(0x0023_3453),
    line: rgb(0x002B_2E37),
    text: rgb(0x00E4_E7ED),
    weak: rgb(0x009F_A6B4),
    accent: rgb(0x006F_A8FF),
    good: rgb(0x0058_C9A3),
    warning: rgb(0x00F0_AD3D),
    bad: rgb(0x00F4_7A70),
    cause: rgb(0x00F0_AD3D),
    effect: rgb(0x0058_C9A3),
    arrow: rgb(0x0069_7080),
    selected: rgb(0x00FF_FFFF),
    range: Color32::from_rgba_premultiplied(0x20, 0x30, 0x4C, 0x50),
    ink_light: rgb(0x00FF_FFFF),
    ink_dark: rgb(0x0010_1218),
    lost: rgb(0x003A_3D46),
    hues: LaneHues {
        host: rgb(0x0087_75DD),
        device: rgb(0x008A_92A3),
        compile: rgb(0x00C0_8A2B),
        compute: rgb(0x004C_8EF7),
        host_to_device: rgb(0x0030_A78D),
        device_to_host: rgb(0x00D0_A13A),
        device_to_device: rgb(0x0062_BDE8),
        collective: rgb(0x00E0_7A45),
        barrier: rgb(0x00A6_ACB9),
        critical_section: rgb(0x00CA_75BD),
        lazy_job: rgb(0x0078_8325),
        pinned_compute: rgb(0x0078_66D1),
    },
};

/// The light theme.
pub const LIGHT: Theme = Theme {
    colours: SpanColours::Role,
    dark: false,
    panel: rgb(0x00F6_F7F9),
    canvas: rgb(0x00FF_FFFF),
    row: rgb(0x00F4_F5F8),
    well: rgb(0x00FF_FFFF),
    hovered: rgb(0x00E7_EAF0),
    chosen: rgb(0x00D9_E7FD),
    line: rgb(0x00DD_E0E7),
    text: rgb(0x001B_1F27),
    weak: rgb(0x0059_6170),
    accent: rgb(0x001F_62C9),
    good: rgb(0x000B_7355),
    warning: rgb(0x0090_5800),
    bad: rgb(0x00BC_2F26),
    cause: rgb(0x0090_5000),
    effect: rgb(0x000B_7355),
    arrow: rgb(0x008E_96A5),
    selected: rgb(0x0011_141A),
    range: Color32::from_rgba_premultiplied(0x1E, 0x34, 0x50, 0x50),
    ink_light: rgb(0x00FF_FFFF),
    ink_dark: rgb(0x0010_1218),
    lost: rgb(0x00D3_D7DF),
    hues: LaneHues {
        host: rgb(0x009C_8BE8),
        device: rgb(0x00A0_A8B8),
        compile: rgb(0x00D6_9C36),
        compute: rgb(0x005B_9BFA),
        host_to_device: rgb(0x003B_B597),
        device_to_host: rgb(0x00E0_B04A),
        device_to_device: rgb(0x0058_B2E2),
        collective: rgb(0x00EC_8751),
        barrier: rgb(0x00A4_AAB8),
        critical_section: rgb(0x00D3_7AC1),
        lazy_job: rgb(0x0078_8F27),
        pinned_compute: rgb(0x0098_72D6),
    },
};

const fn coloured(theme: Theme, colours: SpanColours) -> Theme {
    Theme { colours, ..theme }
}

static DARK_BY_KIND: Theme = coloured(DARK, SpanColours::Kind);
static LIGHT_BY_KIND: Theme = coloured(LIGHT, SpanColours::Kind);
static DARK_BY_NAME: Theme = coloured(DARK, SpanColours::Name);
static LIGHT_BY_NAME: Theme = coloured(LIGHT, SpanColours::Name);
static DARK_BY_FIELD: Theme = coloured(DARK, SpanColours::Field);
static LIGHT_BY_FIELD: Theme = coloured(LIGHT, SpanColours::Field);

/// How bright spans of one name are beside those of another on the same lane, in parts of 256.
const SHADES: [u16; 4] = [256, 226, 274, 242];

impl Theme {
    /// The dark theme, or the light one, in which the colours of spans say this.
    pub fn of(dark: bool, colours: SpanColours) -> &'static Self {
        match (dark, colours) {
            (true, SpanColours::Role) => &DARK,
            (false, SpanColours::Role) => &LIGHT,
            (true, SpanColours::Kind) => &DARK_BY_KIND,
            (false, SpanColours::Kind) => &LIGHT_BY_KIND,
            (true, SpanColours::Name) => &DARK_BY_NAME,
            (false, SpanColours::Name) => &LIGHT_BY_NAME,
            (true, SpanColours::Field) => &DARK_BY_FIELD,
            (false, SpanColours::Field) => &LIGHT_BY_FIELD,
        }
    }

    /// What a picture in these colours is painted with; `fields` is another number for all other colours of values.
    pub const fn paint_key(&self, fields: u32) -> PaintKey {
        (self.dark, self.colours, fields)
    }

    /// The colour of the things of this number, as unlike those of the numbers beside it as they come. Those that share a hue have
    /// different shades.
    pub fn class(&self, number: usize) -> Color32 {
        let shade = SHADES.get(number / 10 % SHADES.len());
        shaded(self.numbered(number), shade.copied().unwrap_or(256))
    }

    /// A colour for the thing of this number, as unlike those of the numbers beside it as they come.
    fn numbered(&self, number: usize) -> Color32 {
        let hues = &self.hues;
        let all = [
            hues.compute,
            hues.device_to_host,
            hues.critical_section,
            hues.host_to_device,
            hues.collective,
            hues.barrier,
            hues.lazy_job,
            hues.device_to_device,
            hues.compile,
            hues.pinned_compute,
        ];
        all.get(number % all.len()).copied().unwrap_or(hues.device)
    }

    /// The colour of a field's value of this number: as [`Self::class`], without the grey that stands for no value.
    pub fn value(&self, number: usize) -> Color32 {
        let hue = match number % 9 {
            hue @ 0..5 => hue,
            hue => hue + 1,
        };
        let shade = SHADES.get(number / 9 % SHADES.len());
        shaded(self.numbered(hue), shade.copied().unwrap_or(256))
    }

    /// The hue of a stream's role; host lanes and lanes of no role have the device's quiet grey.
    pub fn role(&self, role: Role) -> Color32 {
        match role {
            Role::None | Role::Queue | Role::Functions => self.hues.device,
            Role::Compute => self.hues.compute,
            Role::HostToDevice => self.hues.host_to_device,
            Role::DeviceToHost => self.hues.device_to_host,
            Role::DeviceToDevice => self.hues.device_to_device,
            Role::Collective => self.hues.collective,
            Role::Barrier => self.hues.barrier,
            Role::CriticalSection => self.hues.critical_section,
            Role::LazyJob => self.hues.lazy_job,
            Role::PinnedCompute => self.hues.pinned_compute,
        }
    }

    /// The fill of a span on a lane of `role`. Where the colour says what a stream is for, spans of one name share a shade.
    pub fn span(&self, role: Role, kind: SpanKind, name: NameId) -> Color32 {
        match self.colours {
            SpanColours::Role => self.by_role(role, kind, name),
            SpanColours::Kind => self.numbered(kind as usize),
            SpanColours::Name => self.class(name.index()),
            // That of spans without the field.
            SpanColours::Field => self.hues.device,
        }
    }

    /// The fill of spans that are too narrow to be told apart, of one kind and of many names.
    pub fn folded(&self, role: Role, kind: SpanKind) -> Color32 {
        match self.colours {
            SpanColours::Name | SpanColours::Field => self.hues.device,
            _ => self.span(role, kind, NameId(0)),
        }
    }

    /// The kind that says the colour of a span in place of its stream's role, where there is one: the same one for all that look
    /// alike.
    pub const fn kind_before_role(kind: SpanKind) -> Option<SpanKind> {
        match kind {
            SpanKind::Call | SpanKind::Synchronize | SpanKind::HostWork => Some(SpanKind::Call),
            SpanKind::Compile => Some(SpanKind::Compile),
            SpanKind::HostFunction | SpanKind::Callback | SpanKind::Scope | SpanKind::Step => {
                Some(SpanKind::Scope)
            }
            _ => None,
        }
    }

    fn by_role(&self, role: Role, kind: SpanKind, name: NameId) -> Color32 {
        let hue = match Self::kind_before_role(kind) {
            Some(SpanKind::Call) => return self.hues.host,
            Some(SpanKind::Compile) => self.hues.compile,
            Some(_) => self.hues.device,
            None => self.role(role),
        };
        let shade = SHADES.get(name.index() % SHADES.len());
        shaded(hue, shade.copied().unwrap_or(256))
    }

    /// The text colour that can be read on `fill`.
    pub fn ink(&self, fill: Color32) -> Color32 {
        if contrast(self.ink_dark, fill) >= contrast(self.ink_light, fill) {
            self.ink_dark
        } else {
            self.ink_light
        }
    }

    /// The light bar of queued time before a span that is filled with `fill`.
    pub fn queued(&self, fill: Color32) -> Color32 {
        mixed(fill, self.canvas, if self.dark { 0.45 } else { 0.55 })
    }

    /// The two colours of the hatching of a wait that would be filled with `fill`: ground, and stripes.
    pub fn hatched(&self, fill: Color32) -> (Color32, Color32) {
        (
            mixed(fill, self.canvas, 0.24),
            mixed(fill, self.canvas, 0.6),
        )
    }
}

fn shaded(colour: Color32, parts: u16) -> Color32 {
    let part = |channel: u8| (u32::from(channel) * u32::from(parts) / 256).min(255) as u8;
    Color32::from_rgb(part(colour.r()), part(colour.g()), part(colour.b()))
}

/// `share` of `colour` over `ground`, where 1 is all of `colour`.
pub fn mixed(colour: Color32, ground: Color32, share: f32) -> Color32 {
    // The cast rounds down, and costs a tenth of a call of `round`.
    let mix = |a: u8, b: u8| (f32::from(a) * share + f32::from(b) * (1.0 - share) + 0.5) as u8;
    Color32::from_rgb(
        mix(colour.r(), ground.r()),
        mix(colour.g(), ground.g()),
        mix(colour.b(), ground.b()),
    )
}

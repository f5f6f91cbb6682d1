//! One collective operation of a rank: sends and receives pieces, and says what went wrong in words.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Mesh;
use super::inbox::InboxItem;
use super::link::{MeshMessage, PIECE};
use backend::{CollectiveInterruption, Exchange};
use device::lock;
use record::impossible;

/// How often somebody who waits looks whether to go on.
const LOOK: Duration = Duration::from_millis(20);
/// How long a slow rank sleeps before each step.
const SLOWNESS: Duration = Duration::from_millis(1);

/// One collective operation of a rank.
pub struct MeshOperation<'m> {
    mesh: &'m Mesh,
    /// What it is called in messages to the user.
    name: String,
    key: u64,
    verb: u8,
    /// Numbers of this rank's buffer; 0 where only the sender knows.
    total: usize,
    begun: u64,
    has_suffered: Cell<bool>,
    sent: Cell<u32>,
    gives_up: &'m dyn Fn() -> bool,
}

impl<'m> MeshOperation<'m> {
    /// The operation `exchange` of a rank, whose buffer has `total` numbers, and which is its operation number `begun`.
    pub fn new(
        mesh: &'m Mesh,
        exchange: &Exchange,
        total: usize,
        begun: u64,
        gives_up: &'m dyn Fn() -> bool,
    ) -> Self {
        let verb = exchange.what.word();
        // Those between two ranks are numbered for themselves.
        let is_pair = exchange.what.partner().is_some();
        Self {
            mesh,
            name: mesh.part(exchange.what, exchange.number).exchange,
            key: exchange.number << 1 | u64::from(is_pair),
            verb: place(if is_pair { "send" } else { verb }),
            total,
            begun,
            has_suffered: Cell::new(false),
            sent: Cell::new(0),
            gives_up,
        }
    }

    /// This rank's number.
    pub const fn rank(&self) -> usize {
        self.mesh.seat.rank as usize
    }

    /// How many ranks there are.
    pub const fn ranks(&self) -> usize {
        self.mesh.seat.ranks as usize
    }

    /// Sends numbers to a rank, in pieces; one piece where there are none.
    ///
    /// # Errors
    /// It is gone or takes nothing.
    pub fn send(&self, to: usize, values: &[f32]) -> Result<(), CollectiveInterruption> {
        if values.is_empty() {
            return self.send_piece(to, values);
        }
        values
            .chunks(PIECE)
            .try_for_each(|piece| self.send_piece(to, piece))
    }

    fn send_piece(&self, to: usize, values: &[f32]) -> Result<(), CollectiveInterruption> {
        let mesh = self.mesh;
        if mesh.is_slow.load(Ordering::Relaxed) {
            std::thread::sleep(SLOWNESS);
        }
        let number = to as u32;
        let known = mesh.peers.get().and_then(|peers| peers.get(to)).copied();
        let address = known.ok_or_else(|| self.failed(&format!("there is no rank {to}")))?;
        let outlet = mesh.outlets.get(to);
        let outlet = outlet.ok_or_else(|| self.failed(&format!("there is no rank {to}")))?;
        let mut outlet = lock(outlet);
        let step = self.sent.get();
        self.sent.set(step + 1);
        let head = MeshMessage {
            verb: self.verb,
            step,
            total: self.total as u64,
            values: Vec::new(),
        };
        let mut deadline = Instant::now() + mesh.timeout;
        let mut is_late = || {
            if mesh.is_held.load(Ordering::Relaxed) {
                deadline = Instant::now() + mesh.timeout;
            }
            (self.gives_up)() || mesh.inbox.left(number).is_some() || Instant::now() > deadline
        };
        let sent = outlet
            .connect(&mesh.seat, number, address)
            .and_then(|()| outlet.send(self.key, &head, values, &mut is_late));
        drop(outlet);
        self.apply_faults();
        let Err(error) = sent else { return Ok(()) };
        if (self.gives_up)() {
            return Err(CollectiveInterruption::Stopped);
        }
        let why = self.until_left(number).map_or_else(
            || format!("rank {to} cannot be sent to: {error}"),
            |why| format!("rank {to} is gone: {why}"),
        );
        Err(self.failed(&why))
    }

    /// Why a rank left, which may be known a little later than that it did.
    fn until_left(&self, rank: u32) -> Option<String> {
        let until = Instant::now() + LOOK * 25;
        loop {
            let why = self.mesh.inbox.left(rank);
            if why.is_some() || Instant::now() > until || (self.gives_up)() {
                return why;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Receives so many numbers from a rank; as many as it has in all where that is not known.
    ///
    /// # Errors
    /// It is gone, does not come, or calls something else.
    pub fn receive(
        &self,
        from: usize,
        wanted: Option<usize>,
    ) -> Result<Vec<f32>, CollectiveInterruption> {
        self.apply_faults();
        let first = self.next(from)?;
        let wanted = wanted.unwrap_or(first.total as usize);
        let mut values = first.values;
        while values.len() < wanted {
            values.extend(self.next(from)?.values);
        }
        if values.len() == wanted {
            return Ok(values);
        }
        let got = values.len();
        Err(self.failed(&format!(
            "rank {from} sent {got} numbers in place of {wanted}"
        )))
    }

    fn next(&self, from: usize) -> Result<MeshMessage, CollectiveInterruption> {
        let mesh = self.mesh;
        let mut since = Instant::now();
        loop {
            match mesh.inbox.take(from as u32, self.key, LOOK) {
                InboxItem::Message(message) => return self.checked(from, message),
                InboxItem::Never(why) => return Err(self.failed(&why)),
                InboxItem::Nothing => {}
            }
            if (self.gives_up)() {
                return Err(CollectiveInterruption::Stopped);
            }
            if mesh.is_held.load(Ordering::Relaxed) {
                since = Instant::now();
            }
            if since.elapsed() > mesh.timeout {
                let seconds = mesh.timeout.as_secs_f64();
                return Err(self.failed(&format!(
                    "rank {from} sent nothing for {seconds:.1} s: it did not come to this, or is stopped"
                )));
            }
        }
    }

    fn checked(
        &self,
        from: usize,
        message: MeshMessage,
    ) -> Result<MeshMessage, CollectiveInterruption> {
        if message.verb != self.verb {
            let verb = VERBS.get(usize::from(message.verb)).unwrap_or(&"something");
            return Err(self.failed(&format!(
                "rank {from} calls {verb} here: all ranks must call the same in the same order"
            )));
        }
        if self.total > 0 && message.total != self.total as u64 {
            return Err(self.failed(&format!(
                "rank {from} has {} numbers in it, and this rank {}: make the buffers equally long",
                message.total, self.total
            )));
        }
        Ok(message)
    }

    /// Suffers what is to be suffered in its middle, once.
    fn apply_faults(&self) {
        if !self.has_suffered.replace(true) {
            self.mesh.look_for_faults(self.begun);
        }
    }

    fn failed(&self, why: &str) -> CollectiveInterruption {
        CollectiveInterruption::Failed(format!("{}: {why}", self.name))
    }
}

/// What ranks call, by the number that crosses their links.
const VERBS: &[&str] = &[
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "broadcast",
    "send",
    "rank-barrier",
];

fn place(verb: &str) -> u8 {
    let place = VERBS.iter().position(|it| *it == verb);
    place.unwrap_or_else(|| impossible!("a collective operation that crosses no link")) as u8
}

//! One link from a rank to another: who is let in, and what crosses it.

use std::io::{self, Read, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use super::RankAssignment;
use super::inbox::MeshInbox;
use crate::far::PROTOCOL;
use record::impossible;

/// What a rank says first.
const MAGIC: &[u8; 16] = b"syncline rank\r\n\n";
/// Bytes of a rank's first words: magic, version, who it is, whom it means, and the run's secret.
pub const HELLO: usize = 60;
/// Bytes before the numbers of a message.
const HEAD: usize = 32;
/// Numbers of one message, at most.
pub const PIECE: usize = 64 << 10;
/// How long somebody who connects has to say who it is.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a write that does not go on looks whether anybody still wants it.
const LOOK: Duration = Duration::from_millis(50);
/// The answer to a rank that is let in.
const WELCOME: u8 = 1;

/// A piece of an operation's numbers, on its way from one rank to another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshMessage {
    /// What the sender calls, as the position of its verb.
    pub verb: u8,
    /// Which piece of the sender's it is.
    pub step: u32,
    /// Numbers of the sender's whole buffer.
    pub total: u64,
    /// The numbers.
    pub values: Vec<f32>,
}

/// The link to another rank.
#[derive(Default)]
pub struct MeshOutlet {
    stream: Option<TcpStream>,
    bytes: Vec<u8>,
}

/// What a rank says first.
pub fn hello(seat: &RankAssignment, to: u32) -> [u8; HELLO] {
    let mut bytes = [0; HELLO];
    let words = [PROTOCOL, seat.rank, to];
    let words = words.iter().flat_map(|word| word.to_le_bytes());
    let all = MAGIC
        .iter()
        .copied()
        .chain(words)
        .chain(seat.secret.bytes());
    for (place, byte) in bytes.iter_mut().zip(all) {
        *place = byte;
    }
    bytes
}

/// The number that stands at a place.
fn word(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..at + 4).and_then(|it| it.try_into().ok());
    u32::from_le_bytes(found.unwrap_or_else(|| impossible!("a header shorter than its numbers")))
}

/// Who said hello, or why it is refused.
fn judge(bytes: &[u8; HELLO], seat: &RankAssignment) -> Result<u32, String> {
    if bytes.get(..16) != Some(MAGIC.as_slice()) {
        return Err("it is no rank of Syncline's".to_owned());
    }
    let (version, from) = (word(bytes, 16), word(bytes, 20));
    if version != PROTOCOL {
        return Err(format!(
            "it speaks protocol {version}, and this rank {PROTOCOL}: install one version everywhere"
        ));
    }
    if bytes
        != &hello(
            &RankAssignment {
                rank: from,
                ..seat.clone()
            },
            seat.rank,
        )
    {
        return Err("it does not know this run's secret, or means another rank".to_owned());
    }
    if from >= seat.ranks || from == seat.rank {
        return Err(format!("there is no other rank {from} in this run"));
    }
    Ok(from)
}

/// Lets ranks in until the box is closed.
pub fn accept(listener: &TcpListener, seat: &RankAssignment, inbox: &Arc<MeshInbox>) {
    for stream in listener.incoming() {
        if inbox.is_closed() {
            return;
        }
        let Ok(stream) = stream else { continue };
        let (seat, inbox) = (seat.clone(), Arc::clone(inbox));
        // Without a thread nobody is let in, and the other rank says that it was not.
        let _ = std::thread::Builder::new()
            .name("peer".to_owned())
            .spawn(move || serve(stream, &seat, &inbox));
    }
}

fn serve(mut stream: TcpStream, seat: &RankAssignment, inbox: &MeshInbox) {
    let from = match welcome(&mut stream, seat, inbox) {
        Ok(from) => from,
        Err(why) => {
            let who = stream
                .peer_addr()
                .map_or_else(|_| "somebody".to_owned(), |it| it.to_string());
            return inbox.refuse(format!(
                "{who} wanted to be a rank of this run and was refused: {why}"
            ));
        }
    };
    let why = loop {
        match read(&mut stream) {
            Ok((key, message)) => {
                if !inbox.put(from, key, message) {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                break error.to_string();
            }
            Err(error) => break format!("what came cannot be read ({error})"),
        }
    };
    let _ = stream.shutdown(Shutdown::Both);
    inbox.over(from, why);
}

fn welcome(
    stream: &mut TcpStream,
    seat: &RankAssignment,
    inbox: &MeshInbox,
) -> Result<u32, String> {
    let mut bytes = [0; HELLO];
    let read = stream
        .set_read_timeout(Some(PATIENCE))
        .and_then(|()| stream.read_exact(&mut bytes));
    read.map_err(|error| format!("it did not say who it is ({error})"))?;
    let from = judge(&bytes, seat)?;
    let back = stream.try_clone().map_err(|error| error.to_string())?;
    if !inbox.opened(from, back) {
        return Err(format!("rank {from} has a link already"));
    }
    let welcomed = stream
        .set_read_timeout(None)
        .and_then(|()| stream.write_all(&[WELCOME]));
    welcomed.map_err(|error| error.to_string())?;
    Ok(from)
}

/// Reads the next message, and the operation that it is for.
///
/// # Errors
/// The link ended, or what came is no message.
pub fn read(stream: &mut impl Read) -> io::Result<(u64, MeshMessage)> {
    let mut head = [0_u8; HEAD];
    let mut got = 0;
    while let Some(rest) = head.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match stream.read(rest)? {
            0 if got == 0 => return Err(ended("it was closed")),
            0 => return Err(ended("it ended in the middle of a message")),
            more => got += more,
        }
    }
    let part = |at: usize| {
        let bytes = head.get(at..at + 8).and_then(|it| it.try_into().ok());
        u64::from_le_bytes(
            bytes.unwrap_or_else(|| impossible!("a header shorter than its numbers")),
        )
    };
    let (key, total, step, rest) = (part(0), part(8), part(16), part(24));
    let (count, verb) = ((rest & 0xFFFF_FFFF) as usize, (rest >> 32) as u8);
    if count > PIECE {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a message of {count} numbers was announced, and none has more than {PIECE}"),
        ));
    }
    let mut bytes = vec![0_u8; count * 4];
    stream
        .read_exact(&mut bytes)
        .map_err(|_cut| ended("it ended in the middle of a message"))?;
    let values = bytes.as_chunks::<4>().0.iter();
    let message = MeshMessage {
        verb,
        step: step as u32,
        total,
        values: values.map(|bytes| f32::from_le_bytes(*bytes)).collect(),
    };
    Ok((key, message))
}

fn ended(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, why)
}

impl MeshOutlet {
    /// Makes the link to the rank `to`, unless there is one.
    ///
    /// # Errors
    /// It does not listen, or does not let this one in.
    pub fn connect(
        &mut self,
        seat: &RankAssignment,
        to: u32,
        address: SocketAddr,
    ) -> io::Result<()> {
        if self.stream.is_some() {
            return Ok(());
        }
        if !address.ip().is_loopback() {
            let why = "ranks speak over loopback alone";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.write_all(&hello(seat, to))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut answer = [0];
        stream
            .read_exact(&mut answer)
            .map_err(|error| ended(&format!("it did not let this rank in ({error})")))?;
        stream.set_write_timeout(Some(LOOK))?;
        self.stream = Some(stream);
        Ok(())
    }

    /// Sends a message of an operation. `gives_up` is asked while the other end takes nothing.
    ///
    /// # Errors
    /// The link broke, or whoever sends gave up.
    pub fn send(
        &mut self,
        key: u64,
        head: &MeshMessage,
        values: &[f32],
        gives_up: &mut dyn FnMut() -> bool,
    ) -> io::Result<()> {
        let Some(stream) = &mut self.stream else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let bytes = &mut self.bytes;
        bytes.clear();
        let rest = values.len() as u64 | u64::from(head.verb) << 32;
        for word in [key, head.total, u64::from(head.step), rest] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for value in values {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        let mut sent = 0;
        while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
            match stream.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(more) => sent += more,
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                        if gives_up() {
                            return Err(io::ErrorKind::TimedOut.into());
                        }
                    }
                    io::ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
        Ok(())
    }

    /// Nothing more is sent.
    pub fn close(&mut self) {
        if let Some(stream) = self.stream.take() {
            // What was written arrives before the end.
            let _ = stream.shutdown(Shutdown::Write);
        }
    }
}

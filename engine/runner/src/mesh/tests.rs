//! What ranks compute together is what one process computes, and strangers are refused.

use record::{BufferIndex, StreamIndex};
use std::io::Write as _;

use super::*;
use workload::Reduction;

/// Ranks in one process, each with its own sockets.
fn meshes(ranks: u32, timeout: Nanos) -> Vec<Arc<Mesh>> {
    let seat = |rank| RankAssignment {
        rank,
        ranks,
        secret: "0123456789abcdef0123456789abcdef".to_owned(),
    };
    let all: Vec<_> = (0..ranks)
        .map(|rank| Mesh::listen(seat(rank), timeout, Vec::new()).unwrap())
        .collect();
    let peers: Vec<_> = all.iter().map(|it| it.address()).collect();
    for mesh in &all {
        mesh.meet(peers.clone());
    }
    all
}

/// What every rank gets of an operation.
fn together(
    meshes: &[Arc<Mesh>],
    what: CollectiveCall,
    own: impl Fn(usize) -> Vec<f32>,
) -> Vec<Result<Vec<f32>, CollectiveInterruption>> {
    std::thread::scope(|scope| {
        let parts: Vec<_> = meshes
            .iter()
            .enumerate()
            .map(|(rank, mesh)| {
                let values = own(rank);
                scope.spawn(move || one(mesh, what, values))
            })
            .collect();
        parts.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

fn one(
    mesh: &Arc<Mesh>,
    what: CollectiveCall,
    values: Vec<f32>,
) -> Result<Vec<f32>, CollectiveInterruption> {
    let exchange = Exchange {
        what,
        number: mesh.number(what),
        through: None,
    };
    mesh.perform(&exchange, values, &|| false)
}

const B: BufferIndex = BufferIndex(0);
const S: StreamIndex = StreamIndex(0);

#[test]
fn numbers_are_those_of_one_process() {
    // Integers, whose sums are exact in every order.
    let value = |rank: usize, k: usize| ((rank * 7 + k * 3) % 101) as f32;
    for ranks in [2_usize, 3, 5] {
        let meshes = meshes(ranks as u32, Nanos::from_millis(20_000));
        for len in [1_usize, 7, 1000, 200_003] {
            let own = |rank: usize| (0..len).map(|k| value(rank, k)).collect::<Vec<_>>();
            let all = |k: usize| (0..ranks).map(move |rank| value(rank, k));
            let sum: Vec<f32> = (0..len).map(|k| all(k).sum()).collect();
            let max: Vec<f32> = (0..len).map(|k| all(k).fold(0.0, f32::max)).collect();
            let mean: Vec<f32> = sum.iter().map(|it| it / ranks as f32).collect();
            for (by, wanted) in [
                (Reduction::Sum, &sum),
                (Reduction::Maximum, &max),
                (Reduction::Mean, &mean),
            ] {
                let what = CollectiveCall::AllReduce {
                    stream: S,
                    buffer: B,
                    by,
                };
                for got in together(&meshes, what, own) {
                    assert_eq!(&got.unwrap(), wanted, "{by:?} of {len} on {ranks}");
                }
            }
            let gathered: Vec<f32> = (0..ranks).flat_map(own).collect();
            let what = CollectiveCall::AllGather {
                stream: S,
                from: B,
                to: B,
            };
            for got in together(&meshes, what, own) {
                assert_eq!(got.unwrap(), gathered);
            }
            let root = ranks as u32 - 1;
            let what = CollectiveCall::Broadcast {
                stream: S,
                buffer: B,
                root,
            };
            for got in together(&meshes, what, own) {
                assert_eq!(got.unwrap(), own(ranks - 1));
            }
        }
        let by = Reduction::Sum;
        let what = CollectiveCall::ReduceScatter {
            stream: S,
            from: B,
            to: B,
            by,
        };
        let own = |rank: usize| (0..ranks * 10).map(|k| value(rank, k)).collect();
        for (part, got) in together(&meshes, what, own).into_iter().enumerate() {
            let sum = |k: usize| (0..ranks).map(|rank| value(rank, k)).sum::<f32>();
            let wanted: Vec<f32> = (part * 10..part * 10 + 10).map(sum).collect();
            assert_eq!(got.unwrap(), wanted);
        }
        for got in together(&meshes, CollectiveCall::Barrier { stream: S }, |_| {
            Vec::new()
        }) {
            assert_eq!(got.unwrap(), Vec::<f32>::new());
        }
    }
}

#[test]
fn two_ranks_send_and_receive() {
    let meshes = meshes(2, Nanos::from_millis(20_000));
    let values: Vec<f32> = (0..150_000).map(|k| k as f32).collect();
    let (first, second) = (&meshes[0], &meshes[1]);
    std::thread::scope(|scope| {
        let sent = scope.spawn(|| {
            one(
                first,
                CollectiveCall::Send {
                    stream: S,
                    buffer: B,
                    to: 1,
                },
                values.clone(),
            )
        });
        let got = one(
            second,
            CollectiveCall::Receive {
                stream: S,
                buffer: B,
                from: 0,
            },
            Vec::new(),
        );
        assert_eq!(got.unwrap(), values);
        sent.join().unwrap().unwrap();
    });
}

#[test]
fn who_calls_something_else_or_does_not_come_is_named() {
    let meshes = meshes(2, Nanos::from_millis(300));
    let failed = |got: Result<Vec<f32>, CollectiveInterruption>| match got {
        Err(CollectiveInterruption::Failed(why)) => why,
        other => panic!("{other:?}"),
    };
    let by = Reduction::Sum;
    let all_reduce = CollectiveCall::AllReduce {
        stream: S,
        buffer: B,
        by,
    };
    let why = failed(one(&meshes[0], all_reduce, vec![1.0; 4]));
    assert!(
        why.contains("all-reduce 1: rank 1 sent nothing for 0.3 s"),
        "{why}"
    );
    let gather = CollectiveCall::AllGather {
        stream: S,
        from: B,
        to: B,
    };
    let why = failed(one(&meshes[1], gather, vec![1.0; 4]));
    assert!(why.contains("rank 0 calls all-reduce here"), "{why}");
    std::thread::scope(|scope| {
        let other = scope.spawn(|| one(&meshes[0], all_reduce, vec![1.0; 8]));
        let why = failed(one(&meshes[1], all_reduce, vec![1.0; 4]));
        assert!(
            why.contains("rank 0 has 8 numbers in it, and this rank 4"),
            "{why}"
        );
        let _ = other.join();
    });
    meshes[0].leave(1, "it was ended by signal 9");
    meshes[1].close();
    let why = failed(one(&meshes[0], all_reduce, vec![1.0; 4]));
    assert!(
        why.contains("rank 1 is gone: it was ended by signal 9"),
        "{why}"
    );
}

#[test]
fn strangers_are_refused_and_the_rest_is_unharmed() {
    let meshes = meshes(2, Nanos::from_millis(20_000));
    let wrong = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = link::hello(meshes[0].seat(), 1).to_vec();
        change(&mut bytes);
        let mut stream = TcpStream::connect(meshes[1].address()).unwrap();
        stream.write_all(&bytes).unwrap();
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let until = std::time::Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(why) = meshes[1].take_refused().pop() {
                return why;
            }
            assert!(std::time::Instant::now() < until, "nobody was refused");
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    for (change, words) in [
        (
            &(|bytes: &mut Vec<u8>| bytes[40] ^= 1) as &dyn Fn(&mut Vec<u8>),
            "secret",
        ),
        (&|bytes| bytes[16] = 99, "protocol 99"),
        (&|bytes| bytes[0] = b'G', "no rank of Syncline's"),
        (&|bytes| bytes.truncate(30), "did not say who it is"),
        (&|bytes| bytes[20] = 7, "no other rank 7"),
    ] {
        let why = wrong(change);
        assert!(why.contains(words), "{why}");
    }
    let got = together(&meshes, CollectiveCall::Barrier { stream: S }, |_| {
        Vec::new()
    });
    assert!(got.iter().all(Result::is_ok), "{got:?}");
}

#[test]
fn absurd_and_cut_messages_end_their_link_alone() {
    for (bytes, words) in [
        (
            vec![255_u8; 32],
            "a message of 4294967295 numbers was announced",
        ),
        (vec![0; 9], "in the middle of a message"),
    ] {
        let meshes = meshes(3, Nanos::from_millis(20_000));
        let mut stream = TcpStream::connect(meshes[1].address()).unwrap();
        stream.write_all(&link::hello(meshes[0].seat(), 1)).unwrap();
        stream.write_all(&bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let receive = CollectiveCall::Receive {
            stream: S,
            buffer: B,
            from: 0,
        };
        let Err(CollectiveInterruption::Failed(why)) = one(&meshes[1], receive, Vec::new()) else {
            panic!("nothing came from rank 0");
        };
        assert!(why.contains(words), "{why}");
        std::thread::scope(|scope| {
            let sent = scope.spawn(|| {
                one(
                    &meshes[2],
                    CollectiveCall::Send {
                        stream: S,
                        buffer: B,
                        to: 1,
                    },
                    vec![5.0],
                )
            });
            let receive = CollectiveCall::Receive {
                stream: S,
                buffer: B,
                from: 2,
            };
            assert_eq!(one(&meshes[1], receive, Vec::new()).unwrap(), [5.0]);
            sent.join().unwrap().unwrap();
        });
    }
}
